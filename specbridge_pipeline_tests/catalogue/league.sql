-- A league that declares one key only, so that all else has to be found in names and data.
CREATE TABLE team (team_id TEXT, year INTEGER, name TEXT, games INTEGER);
INSERT INTO team VALUES
  ('BOS', 2001, 'Boston', 10), ('BOS', 2002, 'Boston', 12), ('NYA', 2001, 'New York', 10),
  ('NYA', 2002, 'New York', 12), ('CHI', 2002, 'Chicago', 12), ('CHI', 2001, 'Chicago', 9);
CREATE TABLE player (player_id INTEGER PRIMARY KEY, name TEXT, birth_country TEXT);
INSERT INTO player VALUES (1, 'Ada', 'UK'), (2, 'Ben', 'UK'), (3, 'Cleo', 'US'), (4, 'Dan', NULL);
CREATE TABLE country (code TEXT, name TEXT);
INSERT INTO country VALUES ('UK', 'Britain'), ('US', 'America'), ('FR', 'France');
CREATE TABLE salaries (player_id INTEGER, year INTEGER, team_id TEXT, salary INTEGER);
INSERT INTO salaries VALUES
  (1, 2001, 'BOS', 100), (1, 2002, 'BOS', 150), (2, 2001, 'NYA', 90), (3, 2002, 'CHI', 80),
  (3, 2001, 'CHI', 80), (2, 2002, NULL, 95);
CREATE TABLE captain (id INTEGER, captain_player_id INTEGER, since INTEGER);
INSERT INTO captain VALUES (1, 1, 2001), (2, 3, 2002), (3, 4, 2002);
-- Named like a reference, but most of its values are no player.
CREATE TABLE sponsor (id INTEGER, player_id INTEGER);
INSERT INTO sponsor VALUES (1, 1), (2, 70), (3, 80);
-- The same small numbers as a key elsewhere, under a name that says nothing of it.
CREATE TABLE vote (id INTEGER, place INTEGER);
INSERT INTO vote VALUES (1, 1), (2, 2), (3, 3);
CREATE VIEW best AS SELECT * FROM salaries WHERE salary > 90;
