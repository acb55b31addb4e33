-- What the statements of the corpus read. Small, and uneven on purpose: missing values, ties,
-- repeated rows, rows without a partner on either side, text that looks like a number, negative,
-- zero and large values, empty text, blanks at the end, and names that differ in case alone.
CREATE TABLE city (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  country TEXT,
  population INTEGER
);
INSERT INTO city VALUES
  (1, 'Bern', 'CH', 134000), (2, 'Basel', 'CH', 173000), (3, 'Graz', 'AT', 291000),
  (4, 'Wien', 'AT', 1900000), (5, 'Roma', NULL, 2750000), (6, 'Nowhere', 'XX', NULL),
  (7, 'bern', 'DE', 0);

CREATE TABLE person (
  id INTEGER PRIMARY KEY,
  name TEXT,
  nick TEXT COLLATE NOCASE,
  city_id INTEGER REFERENCES city (id),
  manager_id INTEGER REFERENCES person (id),
  born TEXT,
  height REAL
);
INSERT INTO person VALUES
  (1, 'Ada', 'ace', 1, NULL, '1970-03-15', 1.70), (2, 'Ben', 'BEN', 1, 1, '1980-12-01', 1.82),
  (3, 'Cleo', 'Ace', 2, 1, '1980-12-01', 1.65), (4, 'Dan', NULL, 3, 2, '1991-07-30', NULL),
  (5, 'Eve', 'eve', NULL, 2, NULL, 1.65), (6, 'ada', 'ADA', 4, 3, '2001-02-28', 1.70),
  (7, NULL, '', 9, 3, '1999-12-31', 2.01), (8, 'Gus ', 'gus', 4, 3, '1970-03-15', 1.82);

CREATE TABLE product (
  code TEXT PRIMARY KEY,
  name TEXT,
  kind TEXT,
  price REAL,
  stock INTEGER,
  label
);
INSERT INTO product VALUES
  ('a1', 'tea', 'drink', 4.5, 10, 'fine'), ('a2', 'coffee', 'drink', 6.25, 0, 12),
  ('b1', 'jam', 'food', 3.0, 7, '12'), ('b2', 'honey', 'food', 9.75, NULL, NULL),
  ('c1', 'soap', NULL, 2.5, 25, 2.5), ('c2', 'Tea', 'drink', 4.5, -3, ''),
  ('10', 'ten', 'misc', 10.0, 1, 'ten'), ('9', 'nine', 'misc', NULL, 100, 'NINE');

CREATE TABLE purchase (
  id INTEGER PRIMARY KEY,
  person_id INTEGER REFERENCES person (id),
  code TEXT REFERENCES product (code),
  pieces INTEGER,
  paid NUMERIC,
  bought TEXT,
  note VARCHAR(20)
);
INSERT INTO purchase VALUES
  (1, 1, 'a1', 2, 9, '2021-01-05', 'gift'), (2, 1, 'a1', 1, 4.5, '2021-01-05', NULL),
  (3, 1, 'b1', 5, 15, '2021-02-10', ''), (4, 2, 'a2', 1, 6.25, '2021-02-10', 'gift'),
  (5, 2, 'c1', 3, 7.5, '2021-03-01 10:30:00', 'Gift'), (6, 3, 'a1', 2, 9, '2021-03-15', NULL),
  (7, 3, 'b2', 1, 9.75, '2022-01-01', 'late'), (8, 4, 'b1', NULL, NULL, '2022-01-01', 'lost'),
  (9, 6, '10', 7, 70, '2022-06-30', '100%'), (10, 99, 'a1', 1, 4.5, '2022-07-01', 'who'),
  (11, NULL, 'zz', -2, -9, '2022-07-02', 'back'), (12, 6, '10', 7, 70, '2022-06-30', '100%'),
  (13, 8, 'c2', 0, 2.5, NULL, 'a_b'), (14, 8, 'a2', 4, 25, '2020-12-31', 'gift ');

CREATE TABLE member (id INTEGER, name TEXT, city_id INTEGER);
INSERT INTO member VALUES
  (1, 'Ada', 1), (1, 'Ada', 1), (3, 'Cleo', 3), (10, 'Zoe', 2), (4, 'Wien', 7), (NULL, NULL, NULL),
  (NULL, NULL, NULL), (5, 'Eve', NULL);

CREATE TABLE reading (
  day TEXT,
  hour INTEGER,
  value REAL,
  raw TEXT,
  flag BOOLEAN
);
INSERT INTO reading VALUES
  ('2024-02-28', 1, 1.5, '1.5', 1), ('2024-02-28', 2, 1.5, '01.5', 0),
  ('2024-02-28', 3, -2.25, '-2.25', 1), ('2024-02-29', 1, NULL, 'n/a', NULL),
  ('2024-02-29', 2, 8, '8', 1), ('2024-02-29', 2, 8, '10', 0), ('2024-03-01', 1, 0, '0', 0),
  ('2024-03-01', 5, 7.75, '7.75kg', 1), ('2024-03-02', 9, 100, '100', NULL),
  ('2024-03-02', 9, 100, '1e2', 1);

CREATE TABLE part (child TEXT, parent TEXT, amount INTEGER);
INSERT INTO part VALUES
  ('wheel', 'bike', 2), ('frame', 'bike', 1), ('spoke', 'wheel', 32), ('rim', 'wheel', 1),
  ('tube', 'frame', 3), ('nut', 'spoke', 1), ('nut', 'rim', 8), ('bike', NULL, 1);

CREATE TABLE "order item" ("item no" INTEGER, "group" TEXT, "unit price" REAL, quantity INTEGER);
INSERT INTO "order item" VALUES
  (1, 'A', 2.5, 4), (2, 'A', 2.5, NULL), (3, 'B', 10, 1), (4, 'b', 0.1, 3), (5, NULL, 7, 2);
