-- The corpus: statements that cover what SQLite's queries can say. A line that begins with
-- "-- #" names the construct of the statements below it; a statement ends with a semicolon at the
-- end of a line, and is known by its construct and its place below it.

-- # columns and rows
SELECT name FROM city;
SELECT * FROM city;
SELECT city.* FROM city;
SELECT id, name, country FROM city;
SELECT name, name FROM city;
SELECT name AS town, population AS people FROM city;
SELECT name town FROM city;
SELECT c.name FROM city AS c;
SELECT c.name FROM city c WHERE c.country = 'CH';
SELECT C.NAME FROM CITY AS C;
SELECT "name" FROM "city";
SELECT `name`, [country] FROM `city`;
SELECT main.city.name FROM main.city;
SELECT "item no", "unit price" FROM "order item";
SELECT oi."group", oi.quantity FROM "order item" AS oi;
SELECT 1;
SELECT 1 AS one, 'two' AS two, NULL AS three, 4.0 AS four;
SELECT 'it''s', -7, 1e3, x'4142';
SELECT 'same', name FROM city;
SELECT ALL country FROM city;

-- # comparisons
SELECT name FROM city WHERE population > 173000;
SELECT name FROM city WHERE population >= 173000;
SELECT name FROM city WHERE population < 173000;
SELECT name FROM city WHERE population <= 173000;
SELECT name FROM city WHERE population <> 173000;
SELECT name FROM city WHERE population != 173000;
SELECT name FROM city WHERE population == 173000;
SELECT name FROM city WHERE 173000 < population;
SELECT name FROM city WHERE name = 'Bern';
SELECT name FROM city WHERE name > 'Graz';
SELECT name FROM city WHERE country <> 'CH';
SELECT a.name FROM person AS a WHERE a.id > a.manager_id;
SELECT name, population > 200000 AS large FROM city;
SELECT id FROM person WHERE (height > 1.7) = 1;
SELECT name FROM city WHERE population BETWEEN 134000 AND 291000;
SELECT name FROM city WHERE population NOT BETWEEN 134000 AND 291000;
SELECT id FROM purchase WHERE pieces BETWEEN 1 AND 2 AND paid > 5;
SELECT id FROM person WHERE born BETWEEN '1980-01-01' AND '1999-12-31';

-- # types and affinity
SELECT code FROM product WHERE code = 10;
SELECT code FROM product WHERE code > 9;
SELECT code FROM product WHERE code > '9';
SELECT code FROM product WHERE stock = '10';
SELECT code FROM product WHERE stock > '7';
SELECT code FROM product WHERE label = 12;
SELECT code FROM product WHERE label = '12';
SELECT code FROM product WHERE label > 5;
SELECT code FROM product WHERE label = 2.5;
SELECT code, typeof(label) FROM product;
SELECT hour FROM reading WHERE raw = 8;
SELECT hour FROM reading WHERE raw = value;
SELECT hour, raw FROM reading WHERE raw > 5;
SELECT day FROM reading WHERE raw + 0 > 5;
SELECT raw + 1 FROM reading;
SELECT raw * 2, typeof(raw * 2) FROM reading;
SELECT day FROM reading WHERE +raw = 10;
SELECT id FROM purchase WHERE paid = '9';
SELECT id FROM purchase WHERE paid = 9.0;
SELECT p.id FROM purchase AS p JOIN product AS q ON p.paid = q.label;
SELECT id FROM city WHERE id = '3';
SELECT name FROM city WHERE name > 5;
SELECT max(raw), min(raw) FROM reading;
SELECT max(label), min(label) FROM product;
SELECT code FROM product ORDER BY label, code;
SELECT day, hour FROM reading WHERE flag = TRUE;
SELECT day, hour FROM reading WHERE flag IS FALSE;
SELECT day, hour FROM reading WHERE flag;
SELECT day, hour FROM reading WHERE NOT flag;

-- # arithmetic and whole numbers
SELECT id, pieces + 1, pieces - 1, pieces * 2 FROM purchase;
SELECT id, pieces / 2 FROM purchase;
SELECT id, pieces / 2.0 FROM purchase;
SELECT id, pieces * 1.0 / 2 FROM purchase;
SELECT id, pieces % 2 FROM purchase;
SELECT id, 7 / pieces FROM purchase;
SELECT id, paid / pieces FROM purchase WHERE pieces > 0;
SELECT id, paid * 100 / pieces FROM purchase WHERE pieces <> 0;
SELECT id, 100 * pieces / 7 FROM purchase;
SELECT id, 100 * (pieces / 7) FROM purchase;
SELECT id, -pieces FROM purchase;
SELECT id, - (pieces - 3) FROM purchase;
SELECT id, pieces - 1 - 1 FROM purchase;
SELECT id, pieces - (1 - 1) FROM purchase;
SELECT id, pieces * paid + 1 FROM purchase;
SELECT id, pieces * (paid + 1) FROM purchase;
SELECT id, pieces & 3, pieces | 8, pieces << 1, pieces >> 1, ~pieces FROM purchase;
SELECT 1 / 2, 1 / 2.0, 1.0 / 2, -7 / 2, -7 % 3, 7 % -3;
SELECT 9223372036854775807 + 1;
SELECT population / 1000 AS thousands FROM city WHERE population IS NOT NULL;
SELECT name || ' (' || country || ')' FROM city;
SELECT id || '-' || pieces FROM purchase;
SELECT sum(pieces) / count(*) FROM purchase;
SELECT sum(pieces) * 1.0 / count(*) FROM purchase;
SELECT sum(paid) / sum(pieces) FROM purchase;
SELECT avg(paid / pieces) FROM purchase;
SELECT count(*) * 100 / (SELECT count(*) FROM person) FROM person WHERE height > 1.7;

-- # missing values
SELECT name FROM person WHERE city_id IS NULL;
SELECT name FROM person WHERE city_id IS NOT NULL;
SELECT name FROM person WHERE nick ISNULL;
SELECT name FROM person WHERE nick NOTNULL;
SELECT name FROM person WHERE nick NOT NULL;
SELECT name FROM person WHERE NOT city_id IS NULL;
SELECT name FROM person WHERE city_id = NULL;
SELECT count(*) FROM person WHERE city_id <> NULL;
SELECT id FROM person WHERE name IS 'Ada';
SELECT id FROM person WHERE name IS NOT 'Ada';
SELECT id FROM person WHERE name <> 'Ada';
SELECT id FROM person WHERE NOT (name = 'Ada');
SELECT a.id FROM member AS a JOIN person AS b ON a.city_id IS b.city_id;
SELECT id FROM person WHERE name IS DISTINCT FROM 'Ada';
SELECT id FROM person WHERE name IS NOT DISTINCT FROM 'Ada';
SELECT id, coalesce(nick, name) FROM person;
SELECT id, coalesce(nick, name, 'nobody') FROM person;
SELECT id, ifnull(height, 0) FROM person;
SELECT id, nullif(nick, '') FROM person;
SELECT id, nullif(pieces, 0) FROM purchase;
SELECT avg(ifnull(pieces, 0)) FROM purchase;
SELECT avg(pieces) FROM purchase;
SELECT sum(pieces) FROM purchase WHERE id = 8;
SELECT total(pieces) FROM purchase WHERE id = 8;
SELECT sum(pieces), count(pieces), count(*) FROM purchase WHERE id > 1000;
SELECT country, count(*) FROM city GROUP BY country;
SELECT DISTINCT country FROM city;
SELECT id FROM purchase WHERE note = '';
SELECT id FROM purchase WHERE note IS NULL OR note = '';
SELECT id FROM person WHERE height > 1.7 IS NOT TRUE;
SELECT id, height IS NULL FROM person;
SELECT NULL + 1, NULL = NULL, NULL IS NULL, NULL AND 0, NULL OR 1, NOT NULL;

-- # in and not in
SELECT name FROM city WHERE country IN ('CH', 'AT');
SELECT name FROM city WHERE country NOT IN ('CH', 'AT');
SELECT name FROM city WHERE id IN (1, 3, 5);
SELECT name FROM city WHERE id IN (3);
SELECT name FROM city WHERE country IN ('CH', NULL);
SELECT count(*) FROM city WHERE country NOT IN ('CH', NULL);
SELECT name FROM city WHERE country IN ();
SELECT name FROM city WHERE country NOT IN ();
SELECT name FROM city WHERE id IN (SELECT city_id FROM person);
SELECT name FROM city WHERE id NOT IN (SELECT city_id FROM person);
SELECT name FROM city WHERE id NOT IN (SELECT city_id FROM person WHERE city_id IS NOT NULL);
SELECT name FROM person WHERE id IN (SELECT person_id FROM purchase WHERE code = 'a1');
SELECT name FROM person WHERE id NOT IN (SELECT person_id FROM purchase);
SELECT name FROM person WHERE NOT id IN (1, 2);
SELECT id FROM purchase WHERE code IN (SELECT code FROM product WHERE kind = 'drink');
SELECT id FROM purchase WHERE code IN (9, 10);
SELECT id FROM purchase WHERE (person_id, code) IN (SELECT person_id, code FROM purchase WHERE pieces = 2);
SELECT id FROM purchase WHERE (person_id, code) IN (VALUES (1, 'a1'), (3, 'b2'));
SELECT id FROM purchase WHERE (person_id, pieces) = (1, 2);
SELECT name FROM city WHERE id IN (SELECT city_id FROM person UNION SELECT city_id FROM member);
SELECT name, id IN (1, 2) AS early FROM city;
SELECT name FROM person WHERE height IN (SELECT max(height) FROM person);

-- # and, or, not
SELECT id FROM purchase WHERE pieces > 1 AND paid > 8;
SELECT id FROM purchase WHERE pieces > 1 OR paid > 8;
SELECT id FROM purchase WHERE pieces = 1 AND paid > 5 OR code = 'b1';
SELECT id FROM purchase WHERE pieces = 1 AND (paid > 5 OR code = 'b1');
SELECT id FROM purchase WHERE (pieces = 1 OR pieces = 2) AND code = 'a1';
SELECT id FROM purchase WHERE pieces = 1 OR pieces = 2 AND code = 'b2';
SELECT id FROM purchase WHERE NOT (pieces = 1 OR code = 'a1');
SELECT id FROM purchase WHERE NOT (pieces = 1 AND code = 'a1');
SELECT id FROM purchase WHERE NOT pieces = 1 AND code = 'a1';
SELECT id FROM purchase WHERE NOT NOT pieces > 2;
SELECT id FROM purchase WHERE (code = 'a1' AND pieces = 2) OR (code = 'b1' AND pieces = 5) OR note = 'late';
SELECT id FROM purchase WHERE code = 'a1' AND pieces > 0 AND paid > 4 AND person_id = 1;
SELECT id FROM person WHERE name OR height;
SELECT id FROM person WHERE 1;
SELECT id FROM purchase WHERE pieces;
SELECT id FROM purchase WHERE 1 = 1 AND pieces > 3;
SELECT id, pieces > 1 AND paid > 8 AS both FROM purchase;

-- # patterns
SELECT name FROM city WHERE name LIKE 'b%';
SELECT name FROM city WHERE name LIKE '%n';
SELECT name FROM city WHERE name LIKE '%er%';
SELECT name FROM city WHERE name LIKE '_a%';
SELECT name FROM city WHERE name NOT LIKE 'B%';
SELECT name FROM city WHERE name LIKE 'bern';
SELECT name FROM city WHERE NOT name LIKE 'bern';
SELECT name FROM city WHERE name GLOB 'B*';
SELECT name FROM city WHERE name GLOB '[BG]*';
SELECT name FROM city WHERE name NOT GLOB '*n';
SELECT name FROM city WHERE name GLOB '?a*';
SELECT id FROM purchase WHERE note LIKE '100\%' ESCAPE '\';
SELECT id FROM purchase WHERE note LIKE 'a!_b' ESCAPE '!';
SELECT a.name FROM city AS a JOIN city AS b ON a.name LIKE b.name AND a.id < b.id;
SELECT id FROM person WHERE born LIKE '19%';
SELECT id FROM city WHERE population LIKE '1%';
SELECT name FROM person WHERE name LIKE '%' || 'e' || '%';
SELECT name, name LIKE 'A%' FROM person;

-- # distinct
SELECT DISTINCT city_id FROM person;
SELECT DISTINCT name, city_id FROM member;
SELECT DISTINCT * FROM member;
SELECT count(DISTINCT city_id) FROM person;
SELECT count(city_id) FROM person;
SELECT sum(DISTINCT pieces) FROM purchase;
SELECT avg(DISTINCT pieces), avg(pieces) FROM purchase;
SELECT total(DISTINCT paid) FROM purchase;
SELECT code, count(DISTINCT person_id) FROM purchase GROUP BY code;
SELECT DISTINCT p.name FROM person AS p JOIN purchase AS u ON u.person_id = p.id;
SELECT DISTINCT name FROM city ORDER BY name DESC LIMIT 3;
SELECT DISTINCT country, population > 200000 FROM city;
SELECT count(*) FROM (SELECT DISTINCT name, city_id FROM member);
SELECT DISTINCT code FROM purchase WHERE pieces > 1 ORDER BY code;

-- # inner joins
SELECT p.name, c.name FROM person AS p JOIN city AS c ON p.city_id = c.id;
SELECT p.name, c.name FROM person AS p INNER JOIN city AS c ON p.city_id = c.id;
SELECT person.name, city.name FROM person JOIN city ON city.id = person.city_id;
SELECT p.name, c.name FROM person AS p, city AS c WHERE p.city_id = c.id;
SELECT p.name, u.code FROM person AS p JOIN purchase AS u ON p.id = u.person_id WHERE u.pieces > 1;
SELECT p.name, q.name FROM person AS p JOIN purchase AS u ON p.id = u.person_id JOIN product AS q ON q.code = u.code;
SELECT p.name, q.name, c.name FROM person AS p JOIN purchase AS u ON p.id = u.person_id JOIN product AS q ON q.code = u.code JOIN city AS c ON c.id = p.city_id;
SELECT a.name, b.name FROM person AS a JOIN person AS b ON a.manager_id = b.id;
SELECT a.name, b.name FROM person AS a JOIN person AS b ON a.born = b.born AND a.id < b.id;
SELECT a.id, b.id FROM purchase AS a JOIN purchase AS b ON a.code = b.code AND a.pieces > b.pieces;
SELECT p.name, c.name FROM person AS p CROSS JOIN city AS c WHERE c.country = 'AT';
SELECT p.id, c.id FROM person AS p JOIN city AS c;
SELECT count(*) FROM person, city;
SELECT p.name, m.name FROM person AS p JOIN member AS m USING (city_id);
SELECT id, person.name FROM person JOIN member USING (id, city_id);
SELECT * FROM person JOIN member USING (id);
SELECT * FROM member NATURAL JOIN city;
SELECT name FROM member NATURAL JOIN person;
SELECT p.name, c.name FROM person AS p JOIN city AS c ON p.city_id = c.id AND c.country = 'CH';
SELECT p.name, q.name FROM person AS p JOIN product AS q ON q.price > p.height * 4;
SELECT p.name, c.name FROM person AS p JOIN city AS c ON p.city_id = c.id OR p.id = c.id;
SELECT u.id, q.name FROM purchase AS u JOIN product AS q ON u.code = q.code AND u.paid <> u.pieces * q.price;
SELECT p.* FROM person AS p JOIN member AS m ON m.id = p.id;
SELECT p.*, c.country FROM person AS p JOIN city AS c ON c.id = p.city_id;

-- # outer joins
SELECT c.name, p.name FROM city AS c LEFT JOIN person AS p ON p.city_id = c.id;
SELECT c.name, p.name FROM city AS c LEFT OUTER JOIN person AS p ON p.city_id = c.id;
SELECT c.name FROM city AS c LEFT JOIN person AS p ON p.city_id = c.id WHERE p.id IS NULL;
SELECT c.name, p.name FROM city AS c LEFT JOIN person AS p ON p.city_id = c.id AND p.height > 1.68;
SELECT c.name, p.name FROM city AS c LEFT JOIN person AS p ON p.city_id = c.id WHERE p.height > 1.68;
SELECT c.name, count(p.id) FROM city AS c LEFT JOIN person AS p ON p.city_id = c.id GROUP BY c.id;
SELECT c.name, count(*) FROM city AS c LEFT JOIN person AS p ON p.city_id = c.id GROUP BY c.id;
SELECT p.name, u.code FROM person AS p RIGHT JOIN purchase AS u ON u.person_id = p.id;
SELECT p.name, u.code FROM person AS p FULL JOIN purchase AS u ON u.person_id = p.id;
SELECT p.name, u.code FROM person AS p FULL OUTER JOIN purchase AS u ON u.person_id = p.id WHERE p.id IS NULL OR u.id IS NULL;
SELECT p.name, u.id, q.name FROM person AS p LEFT JOIN purchase AS u ON u.person_id = p.id LEFT JOIN product AS q ON q.code = u.code;
SELECT p.name, q.name FROM person AS p LEFT JOIN purchase AS u ON u.person_id = p.id JOIN product AS q ON q.code = u.code;
SELECT u.id, q.name FROM purchase AS u LEFT JOIN product AS q USING (code);
SELECT code, u.id, q.name FROM purchase AS u FULL JOIN product AS q USING (code);
SELECT * FROM member NATURAL LEFT JOIN city;
SELECT a.name, b.name FROM person AS a LEFT JOIN person AS b ON a.manager_id = b.id;
SELECT c.name, coalesce(sum(u.paid), 0) FROM city AS c LEFT JOIN person AS p ON p.city_id = c.id LEFT JOIN purchase AS u ON u.person_id = p.id GROUP BY c.id, c.name;
SELECT p.name FROM person AS p LEFT JOIN (SELECT person_id FROM purchase WHERE code = 'a1') AS u ON u.person_id = p.id WHERE u.person_id IS NULL;
SELECT c.name, p.name FROM city AS c LEFT JOIN person AS p ON 1 = 0;
SELECT p.name, x.name FROM person AS p LEFT JOIN (city AS x JOIN member AS m ON m.city_id = x.id) ON x.id = p.city_id;

-- # aggregates
SELECT count(*) FROM purchase;
SELECT count(person_id) FROM purchase;
SELECT sum(paid), avg(paid), min(paid), max(paid), total(paid) FROM purchase;
SELECT min(name), max(name) FROM city;
SELECT max(bought) FROM purchase;
SELECT sum(pieces * paid) FROM purchase;
SELECT sum(pieces) + sum(paid) FROM purchase;
SELECT max(population) - min(population) FROM city;
SELECT count(*) FROM person WHERE height > 1.7;
SELECT count(1), count(NULL), count('x') FROM person;
SELECT sum(height > 1.7) FROM person;
SELECT sum(flag), avg(flag) FROM reading;
SELECT round(avg(height), 2) FROM person;
SELECT count(*), count(height), count(DISTINCT height) FROM person;
SELECT count(*) FILTER (WHERE pieces > 1) FROM purchase;
SELECT sum(paid) FILTER (WHERE code = 'a1'), sum(paid) FILTER (WHERE code <> 'a1') FROM purchase;
SELECT code, count(*) FILTER (WHERE pieces > 1) AS several FROM purchase GROUP BY code;
SELECT sum(CASE WHEN pieces > 1 THEN 1 ELSE 0 END) FROM purchase;
SELECT avg(CASE WHEN pieces > 1 THEN paid END) FROM purchase;
SELECT group_concat(name, ', ' ORDER BY name) FROM city;
SELECT country, group_concat(name, '/' ORDER BY id DESC) FROM city GROUP BY country;
SELECT group_concat(DISTINCT country) FROM city WHERE country = 'CH';
SELECT string_agg(name, '-' ORDER BY population DESC, id) FROM city;
SELECT max(pieces, 2), min(pieces, 2, paid) FROM purchase;
SELECT sum(length(name)) FROM city;

-- # grouping
SELECT code, sum(pieces) FROM purchase GROUP BY code;
SELECT sum(pieces) FROM purchase GROUP BY code;
SELECT code, person_id, sum(pieces) FROM purchase GROUP BY code, person_id;
SELECT person_id, count(*) FROM purchase GROUP BY person_id;
SELECT person_id, count(*) FROM purchase WHERE pieces > 0 GROUP BY person_id;
SELECT code FROM purchase GROUP BY code;
SELECT code, code, max(paid) FROM purchase GROUP BY code;
SELECT substr(bought, 1, 4) AS year, sum(paid) FROM purchase GROUP BY year;
SELECT substr(bought, 1, 4), sum(paid) FROM purchase GROUP BY substr(bought, 1, 4);
SELECT substr(bought, 1, 4) AS year, count(*) FROM purchase GROUP BY 1;
SELECT kind, code, max(price) FROM product GROUP BY 1, 2;
SELECT pieces > 1, count(*) FROM purchase GROUP BY pieces > 1;
SELECT c.country, avg(p.height) FROM city AS c JOIN person AS p ON p.city_id = c.id GROUP BY c.country;
SELECT c.name, count(*) FROM city AS c JOIN person AS p ON p.city_id = c.id GROUP BY c.name ORDER BY count(*) DESC, c.name;
SELECT p.name, sum(u.paid) FROM person AS p JOIN purchase AS u ON u.person_id = p.id GROUP BY p.id;
SELECT p.id, p.name, p.height, count(*) FROM person AS p JOIN purchase AS u ON u.person_id = p.id GROUP BY p.id;
SELECT nick, count(*) FROM person GROUP BY nick COLLATE BINARY;
SELECT "group", sum(quantity * "unit price") FROM "order item" GROUP BY "group";
SELECT day, count(*), sum(value) FROM reading GROUP BY day ORDER BY day;
SELECT count(*) FROM purchase GROUP BY person_id HAVING person_id IS NOT NULL;
SELECT height AS name, count(*) FROM person GROUP BY name;

-- # having
SELECT code FROM purchase GROUP BY code HAVING count(*) > 1;
SELECT code, sum(paid) FROM purchase GROUP BY code HAVING sum(paid) > 10;
SELECT code, count(*) AS times FROM purchase GROUP BY code HAVING times >= 2;
SELECT code FROM purchase GROUP BY code HAVING count(*) > 1 AND sum(pieces) > 4;
SELECT code FROM purchase GROUP BY code HAVING count(*) > 2 OR max(paid) > 20;
SELECT code FROM purchase WHERE pieces > 0 GROUP BY code HAVING avg(pieces) >= 2 ORDER BY code;
SELECT person_id FROM purchase GROUP BY person_id HAVING count(DISTINCT code) > 1;
SELECT person_id FROM purchase GROUP BY person_id HAVING sum(paid) > (SELECT avg(paid) FROM purchase);
SELECT country FROM city GROUP BY country HAVING max(population) < 2000000;
SELECT count(*) FROM purchase HAVING count(*) > 3;
SELECT c.name FROM city AS c JOIN person AS p ON p.city_id = c.id GROUP BY c.id HAVING count(*) >= 2;
SELECT code FROM purchase GROUP BY code HAVING NOT count(*) > 1;
SELECT code FROM purchase GROUP BY code HAVING min(pieces) IS NOT NULL AND code LIKE 'a%';
SELECT code FROM purchase GROUP BY code HAVING sum(pieces) BETWEEN 2 AND 6;

-- # columns beside the keys
SELECT id, max(height) FROM person WHERE id > 5;
SELECT name, max(population) FROM city;
SELECT name, min(population) FROM city WHERE population > 0;
SELECT country, name, max(population) FROM city GROUP BY country;
SELECT code, note, min(paid) FROM purchase WHERE code IN ('b2', 'c1', 'c2') GROUP BY code;
SELECT p.name, p.born, count(u.id) FROM person AS p LEFT JOIN purchase AS u ON u.person_id = p.id GROUP BY p.id;
SELECT code, person_id FROM purchase WHERE code IN ('b2', 'c1') GROUP BY code;
SELECT name FROM city GROUP BY country HAVING max(population) > 300000 AND country IS NOT NULL;

-- # order
SELECT name FROM city ORDER BY name;
SELECT name FROM city ORDER BY name DESC;
SELECT name FROM city ORDER BY name ASC;
SELECT name FROM city ORDER BY population;
SELECT name FROM city ORDER BY population DESC, name;
SELECT name FROM person ORDER BY height DESC, name ASC;
SELECT name, height FROM person ORDER BY height NULLS LAST, id;
SELECT name, height FROM person ORDER BY height DESC NULLS FIRST, id;
SELECT name FROM city ORDER BY country NULLS FIRST, id DESC;
SELECT name, population FROM city ORDER BY 2 DESC, 1;
SELECT name, population AS people FROM city ORDER BY people DESC;
SELECT name, -population AS population FROM city ORDER BY population;
SELECT name, -population AS population FROM city ORDER BY population + 0;
SELECT name FROM city ORDER BY length(name), name;
SELECT name FROM city ORDER BY population IS NULL, name;
SELECT id FROM purchase ORDER BY pieces * paid DESC, id;
SELECT id FROM purchase ORDER BY pieces > 1 DESC, id;
SELECT code, count(*) FROM purchase GROUP BY code ORDER BY count(*) DESC, code;
SELECT code FROM purchase GROUP BY code ORDER BY sum(paid), code;
SELECT name FROM person ORDER BY CASE WHEN height IS NULL THEN 0 ELSE 1 END, name DESC, id;
SELECT p.name FROM person AS p JOIN city AS c ON c.id = p.city_id ORDER BY c.name, p.name;
SELECT id FROM person ORDER BY (SELECT count(*) FROM purchase WHERE person_id = person.id) DESC, id;

-- # limit and offset
SELECT name FROM city ORDER BY population DESC LIMIT 1;
SELECT name FROM city ORDER BY population DESC LIMIT 3;
SELECT name FROM city ORDER BY population LIMIT 2 OFFSET 1;
SELECT name FROM city ORDER BY id LIMIT 2, 3;
SELECT name FROM city ORDER BY id LIMIT -1 OFFSET 4;
SELECT name FROM city ORDER BY id LIMIT 100;
SELECT name, height FROM person ORDER BY height DESC LIMIT 2;
SELECT id, pieces FROM purchase ORDER BY pieces LIMIT 4;
SELECT DISTINCT height FROM person ORDER BY height DESC LIMIT 1 OFFSET 1;
SELECT code FROM purchase GROUP BY code ORDER BY count(*) DESC LIMIT 1;
SELECT person_id, sum(paid) FROM purchase GROUP BY person_id ORDER BY sum(paid) DESC LIMIT 2;
SELECT name FROM city ORDER BY id LIMIT (SELECT count(*) FROM member) - 4;
SELECT name FROM city ORDER BY id LIMIT 1 + 1;
SELECT count(*) FROM purchase LIMIT 1;
SELECT name FROM city WHERE id = 1 LIMIT 5;
SELECT avg(height) FROM (SELECT height FROM person ORDER BY height DESC LIMIT 2);
SELECT name FROM (SELECT name, population FROM city ORDER BY population DESC LIMIT 3) ORDER BY name;

-- # set operations
SELECT city_id FROM person UNION SELECT city_id FROM member;
SELECT city_id FROM person UNION ALL SELECT city_id FROM member;
SELECT city_id FROM person INTERSECT SELECT city_id FROM member;
SELECT city_id FROM person EXCEPT SELECT city_id FROM member;
SELECT city_id FROM member EXCEPT SELECT city_id FROM person;
SELECT id, name FROM person INTERSECT SELECT id, name FROM member;
SELECT id, name FROM member EXCEPT SELECT id, name FROM person;
SELECT name FROM city WHERE country = 'CH' UNION SELECT name FROM city WHERE population > 1000000;
SELECT name FROM person UNION SELECT name FROM member ORDER BY name;
SELECT name FROM person UNION SELECT name FROM member ORDER BY 1 DESC LIMIT 3;
SELECT name AS who FROM person UNION SELECT name FROM city ORDER BY who LIMIT 4;
SELECT id FROM city UNION SELECT id FROM person EXCEPT SELECT id FROM member;
SELECT id FROM city EXCEPT SELECT id FROM member UNION SELECT 1;
SELECT id FROM city UNION ALL SELECT id FROM member INTERSECT SELECT 5;
SELECT id FROM city INTERSECT SELECT * FROM (SELECT id FROM person EXCEPT SELECT id FROM member);
SELECT count(*) FROM (SELECT name FROM person UNION SELECT name FROM member);
SELECT count(*) FROM person UNION ALL SELECT count(*) FROM member;
SELECT 'person', count(*) FROM person UNION ALL SELECT 'member', count(*) FROM member;
SELECT code FROM purchase GROUP BY code HAVING count(*) > 1 INTERSECT SELECT code FROM product WHERE price > 4;
SELECT 1 UNION SELECT 1.0 UNION SELECT '1';
SELECT p.name FROM person AS p JOIN purchase AS u ON u.person_id = p.id WHERE u.code = 'a1' INTERSECT SELECT p.name FROM person AS p JOIN purchase AS u ON u.person_id = p.id WHERE u.code = 'b1';
SELECT name FROM person WHERE id IN (SELECT person_id FROM purchase EXCEPT SELECT id FROM member);

-- # scalar subqueries
SELECT name FROM person WHERE height > (SELECT avg(height) FROM person);
SELECT name FROM person WHERE height = (SELECT max(height) FROM person);
SELECT name FROM city WHERE population < (SELECT population FROM city WHERE name = 'Graz');
SELECT name, (SELECT count(*) FROM purchase) FROM person;
SELECT name, height - (SELECT avg(height) FROM person) FROM person;
SELECT (SELECT max(price) FROM product) - (SELECT min(price) FROM product);
SELECT id FROM purchase WHERE paid > 2 * (SELECT avg(paid) FROM purchase);
SELECT name FROM city WHERE id = (SELECT city_id FROM person WHERE name = 'Dan');
SELECT name FROM city WHERE id = (SELECT city_id FROM person ORDER BY height DESC, id LIMIT 1 OFFSET 1);
SELECT name FROM product WHERE price > (SELECT avg(price) FROM product WHERE kind = 'drink') AND stock < (SELECT avg(stock) FROM product WHERE kind = 'food');
SELECT name FROM product WHERE price = (SELECT price FROM product WHERE code = 'none');
SELECT count(*) FROM purchase WHERE pieces > (SELECT max(pieces) FROM purchase WHERE code = 'a1');
SELECT CAST((SELECT count(*) FROM person WHERE height > 1.7) AS REAL) * 100 / (SELECT count(*) FROM person);
SELECT name FROM person WHERE (SELECT count(*) FROM city) > 6;

-- # correlated subqueries
SELECT name, (SELECT count(*) FROM purchase AS u WHERE u.person_id = p.id) FROM person AS p;
SELECT name, (SELECT sum(paid) FROM purchase WHERE person_id = person.id) AS spent FROM person;
SELECT c.name FROM city AS c WHERE c.population = (SELECT max(d.population) FROM city AS d WHERE d.country = c.country);
SELECT u.id FROM purchase AS u WHERE u.paid > (SELECT avg(v.paid) FROM purchase AS v WHERE v.code = u.code);
SELECT p.name FROM person AS p WHERE (SELECT count(*) FROM purchase AS u WHERE u.person_id = p.id AND u.pieces > 1) >= 1;
SELECT name FROM city WHERE id IN (SELECT city_id FROM person WHERE person.name < city.name);
SELECT p.name, (SELECT c.name FROM city AS c WHERE c.id = p.city_id) FROM person AS p;
SELECT p.name FROM person AS p WHERE p.height = (SELECT min(q.height) FROM person AS q WHERE q.manager_id = p.manager_id);
SELECT p.id FROM person AS p WHERE 2 > (SELECT count(DISTINCT q.height) FROM person AS q WHERE q.height > p.height);
SELECT c.name, (SELECT group_concat(p.name, ',' ORDER BY p.id) FROM person AS p WHERE p.city_id = c.id) FROM city AS c;
SELECT u.code, count(*) FROM purchase AS u GROUP BY u.code HAVING count(*) > (SELECT count(*) FROM purchase AS v WHERE v.code < u.code);

-- # exists
SELECT name FROM city WHERE EXISTS (SELECT 1 FROM person WHERE person.city_id = city.id);
SELECT name FROM city WHERE NOT EXISTS (SELECT 1 FROM person WHERE person.city_id = city.id);
SELECT name FROM city AS c WHERE EXISTS (SELECT * FROM person AS p WHERE p.city_id = c.id AND p.height > 1.7);
SELECT p.name FROM person AS p WHERE EXISTS (SELECT 1 FROM purchase AS u JOIN product AS q ON q.code = u.code WHERE u.person_id = p.id AND q.kind = 'food');
SELECT p.name FROM person AS p WHERE NOT EXISTS (SELECT 1 FROM person AS q WHERE q.height > p.height);
SELECT p.name FROM person AS p WHERE NOT EXISTS (SELECT 1 FROM product AS q WHERE q.kind = 'drink' AND q.price > 5 AND NOT EXISTS (SELECT 1 FROM purchase AS u WHERE u.person_id = p.id AND u.code = q.code));
SELECT name, EXISTS (SELECT 1 FROM purchase AS u WHERE u.person_id = p.id) FROM person AS p;
SELECT count(*) FROM city WHERE EXISTS (SELECT 1 FROM person WHERE height > 2);
SELECT name FROM person AS p WHERE EXISTS (SELECT 1 FROM purchase AS u WHERE u.person_id = p.id GROUP BY u.code HAVING count(*) > 1);
SELECT p.name FROM person AS p WHERE EXISTS (SELECT 1 FROM member AS m WHERE m.id = p.id) OR p.height > 2;

-- # derived tables
SELECT code, pieces FROM (SELECT code, sum(pieces) AS pieces FROM purchase GROUP BY code) WHERE pieces > 3;
SELECT avg(times) FROM (SELECT count(*) AS times FROM purchase GROUP BY person_id);
SELECT max(n) FROM (SELECT city_id, count(*) AS n FROM person GROUP BY city_id) AS t;
SELECT t.name, t.spent FROM (SELECT p.name AS name, sum(u.paid) AS spent FROM person AS p JOIN purchase AS u ON u.person_id = p.id GROUP BY p.id) AS t WHERE t.spent > 20 ORDER BY t.spent DESC;
SELECT p.name, t.n FROM person AS p JOIN (SELECT person_id, count(*) AS n FROM purchase GROUP BY person_id) AS t ON t.person_id = p.id;
SELECT a.code, a.n - b.n FROM (SELECT code, count(*) AS n FROM purchase GROUP BY code) AS a JOIN (SELECT code, count(*) AS n FROM purchase WHERE pieces > 1 GROUP BY code) AS b ON a.code = b.code;
SELECT x FROM (SELECT 1 AS x UNION ALL SELECT 2 UNION ALL SELECT 2);
SELECT * FROM (SELECT name, height FROM person WHERE height > 1.7);
SELECT t.* FROM (SELECT DISTINCT city_id FROM person) AS t ORDER BY 1;
SELECT name FROM (SELECT name, rank() OVER (ORDER BY height DESC) AS place FROM person WHERE height IS NOT NULL) WHERE place = 1;
SELECT sum(a), sum(b) FROM (SELECT count(*) AS a, 0 AS b FROM person UNION ALL SELECT 0, count(*) FROM city);
SELECT s.kind, s.low FROM (SELECT kind, min(price) AS low FROM product GROUP BY kind HAVING count(*) > 1) AS s;

-- # with
WITH tall AS (SELECT * FROM person WHERE height > 1.7) SELECT name FROM tall;
WITH spent AS (SELECT person_id, sum(paid) AS total FROM purchase GROUP BY person_id) SELECT p.name, s.total FROM person AS p JOIN spent AS s ON s.person_id = p.id;
WITH spent (who, amount) AS (SELECT person_id, sum(paid) FROM purchase GROUP BY person_id) SELECT who FROM spent WHERE amount > (SELECT avg(amount) FROM spent);
WITH a AS (SELECT code, sum(pieces) AS n FROM purchase GROUP BY code), b AS (SELECT max(n) AS top FROM a) SELECT a.code FROM a, b WHERE a.n = b.top;
WITH a AS (SELECT id FROM city), b AS (SELECT id FROM person) SELECT id FROM b EXCEPT SELECT id FROM a;
WITH unused AS (SELECT 1) SELECT name FROM city WHERE id = 2;
WITH city AS (SELECT id, name FROM member) SELECT name FROM city;
WITH t AS NOT MATERIALIZED (SELECT name FROM city) SELECT count(*) FROM t AS x JOIN t AS y ON x.name < y.name;
SELECT name FROM city WHERE id IN (WITH t AS (SELECT city_id FROM person WHERE height > 1.8) SELECT city_id FROM t);
WITH ranked AS (SELECT name, country, row_number() OVER (PARTITION BY country ORDER BY population DESC) AS n FROM city WHERE country IS NOT NULL) SELECT country, name FROM ranked WHERE n = 1;

-- # recursive with
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n;
WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i * 2 FROM n WHERE i < 40) SELECT sum(i) FROM n;
WITH RECURSIVE below (name) AS (SELECT 'bike' UNION SELECT p.child FROM part AS p JOIN below AS b ON p.parent = b.name) SELECT name FROM below;
WITH RECURSIVE below (name, depth) AS (SELECT child, 0 FROM part WHERE parent IS NULL UNION ALL SELECT p.child, b.depth + 1 FROM part AS p JOIN below AS b ON p.parent = b.name) SELECT name, depth FROM below ORDER BY depth, name;
WITH RECURSIVE need (name, amount) AS (SELECT 'bike', 1 UNION ALL SELECT p.child, p.amount * n.amount FROM part AS p JOIN need AS n ON p.parent = n.name) SELECT name, sum(amount) FROM need GROUP BY name;
WITH RECURSIVE chain (id, manager_id, steps) AS (SELECT id, manager_id, 0 FROM person WHERE id = 6 UNION ALL SELECT p.id, p.manager_id, c.steps + 1 FROM person AS p JOIN chain AS c ON p.id = c.manager_id) SELECT id, steps FROM chain;
WITH RECURSIVE fib (a, b) AS (SELECT 0, 1 UNION ALL SELECT b, a + b FROM fib WHERE b < 50) SELECT a FROM fib;
WITH RECURSIVE days (d) AS (SELECT '2024-02-27' UNION ALL SELECT date(d, '+1 day') FROM days WHERE d < '2024-03-02') SELECT d FROM days;
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 4) SELECT i FROM n;

-- # values
VALUES (1, 'a'), (2, 'b');
SELECT * FROM (VALUES (1, 'a'), (2, 'b'), (2, 'b'));
SELECT column1 FROM (VALUES (3), (1), (2)) ORDER BY column1 DESC;
SELECT c.name, v.column2 FROM city AS c JOIN (VALUES ('CH', 'Swiss'), ('AT', 'Austrian')) AS v ON v.column1 = c.country;
WITH v (code, factor) AS (VALUES ('a1', 2), ('b1', 3)) SELECT u.id, u.pieces * v.factor FROM purchase AS u JOIN v ON v.code = u.code;
SELECT id FROM city UNION VALUES (7), (8);

-- # ranks and numbers of rows
SELECT name, rank() OVER (ORDER BY height DESC) FROM person;
SELECT name, dense_rank() OVER (ORDER BY height DESC) FROM person;
SELECT name, row_number() OVER (ORDER BY id) FROM person;
SELECT name, row_number() OVER (ORDER BY height, id) FROM person;
SELECT name, rank() OVER (PARTITION BY country ORDER BY population DESC) AS place FROM city;
SELECT id, ntile(3) OVER (ORDER BY id) FROM purchase;
SELECT name, percent_rank() OVER (ORDER BY height), cume_dist() OVER (ORDER BY height) FROM person;
SELECT code, rank() OVER (ORDER BY sum(paid) DESC) FROM purchase GROUP BY code;
SELECT id, rank() OVER (ORDER BY pieces DESC, paid) FROM purchase;
SELECT id, rank() OVER w, dense_rank() OVER w FROM purchase WINDOW w AS (PARTITION BY code ORDER BY pieces);
SELECT name, rank() OVER (ORDER BY height DESC NULLS LAST) FROM person;
SELECT name FROM person ORDER BY rank() OVER (ORDER BY height DESC), id;

-- # aggregates over windows
SELECT id, sum(pieces) OVER () FROM purchase;
SELECT id, sum(pieces) OVER (PARTITION BY code) FROM purchase;
SELECT id, paid * 1.0 / sum(paid) OVER (PARTITION BY person_id) FROM purchase WHERE paid > 0;
SELECT id, sum(pieces) OVER (ORDER BY id) FROM purchase;
SELECT id, sum(pieces) OVER (PARTITION BY code ORDER BY id) FROM purchase;
SELECT id, sum(pieces) OVER (ORDER BY bought) FROM purchase;
SELECT id, count(*) OVER (PARTITION BY code), count(note) OVER (PARTITION BY code) FROM purchase;
SELECT id, avg(paid) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM purchase;
SELECT id, sum(pieces) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM purchase;
SELECT id, sum(pieces) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) FROM purchase;
SELECT id, sum(pieces) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM purchase;
SELECT hour, sum(value) OVER (ORDER BY hour RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM reading;
SELECT hour, count(*) OVER (ORDER BY hour GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM reading;
SELECT hour, sum(value) OVER (ORDER BY hour RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE TIES) FROM reading;
SELECT id, sum(pieces) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW) FROM purchase;
SELECT id, max(paid) OVER (PARTITION BY person_id ORDER BY id DESC ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING) FROM purchase;
SELECT id, sum(pieces) FILTER (WHERE paid > 5) OVER (ORDER BY id) FROM purchase;
SELECT code, sum(sum(paid)) OVER (ORDER BY code) FROM purchase GROUP BY code;
SELECT id, pieces - avg(pieces) OVER (PARTITION BY code) AS above FROM purchase WHERE pieces IS NOT NULL;
SELECT id, sum(pieces) OVER (w ORDER BY id) FROM purchase WINDOW w AS (PARTITION BY code);
SELECT DISTINCT code, sum(pieces) OVER (PARTITION BY code) FROM purchase;

-- # values from other rows
SELECT id, lag(pieces) OVER (ORDER BY id) FROM purchase;
SELECT id, lead(pieces) OVER (ORDER BY id) FROM purchase;
SELECT id, lag(pieces, 2, 0) OVER (PARTITION BY code ORDER BY id) FROM purchase;
SELECT id, pieces - lag(pieces) OVER (ORDER BY id) AS change FROM purchase;
SELECT id, first_value(paid) OVER (PARTITION BY code ORDER BY id) FROM purchase;
SELECT id, last_value(paid) OVER (PARTITION BY code ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM purchase;
SELECT id, last_value(paid) OVER (PARTITION BY code ORDER BY id) FROM purchase;
SELECT id, nth_value(paid, 2) OVER (PARTITION BY code ORDER BY id) FROM purchase;
SELECT id, lead(note, 1, 'none') OVER (ORDER BY id DESC) FROM purchase;

-- # case
SELECT name, CASE WHEN height > 1.8 THEN 'tall' WHEN height > 1.66 THEN 'middle' ELSE 'short' END FROM person;
SELECT name, CASE WHEN height > 1.8 THEN 'tall' END FROM person;
SELECT name, CASE country WHEN 'CH' THEN 'Swiss' WHEN 'AT' THEN 'Austrian' ELSE 'other' END AS people FROM city;
SELECT name, CASE country WHEN 'CH' THEN 1 WHEN NULL THEN 2 END FROM city;
SELECT name, CASE WHEN country IS NULL THEN 'none' WHEN population IS NULL THEN 'unknown' ELSE country END FROM city;
SELECT id FROM purchase WHERE CASE WHEN pieces IS NULL THEN 0 ELSE pieces END > 2;
SELECT CASE WHEN pieces > 1 THEN 'several' ELSE 'one' END AS size, count(*) FROM purchase GROUP BY size;
SELECT sum(CASE WHEN code = 'a1' THEN pieces ELSE 0 END) - sum(CASE WHEN code = 'b1' THEN pieces ELSE 0 END) FROM purchase;
SELECT count(CASE WHEN height > 1.7 THEN 1 END) * 100.0 / count(*) FROM person;
SELECT id, iif(pieces > 1, 'several', 'one') FROM purchase;
SELECT id, CASE WHEN pieces > 1 THEN CASE WHEN paid > 10 THEN 'dear' ELSE 'cheap' END ELSE 'single' END FROM purchase;
SELECT id, CASE WHEN pieces BETWEEN 2 AND 4 AND paid > 5 THEN 1 ELSE 0 END FROM purchase;
SELECT id, CASE WHEN pieces THEN 'some' ELSE 'none' END FROM purchase;
SELECT id, CASE pieces % 2 WHEN 0 THEN 'even' WHEN 1 THEN 'odd' END FROM purchase;
SELECT name FROM city ORDER BY CASE country WHEN 'AT' THEN 1 WHEN 'CH' THEN 2 ELSE 3 END, name;

-- # cast
SELECT CAST(pieces AS REAL) / 2 FROM purchase;
SELECT CAST(height AS INTEGER) FROM person;
SELECT id, CAST(id AS TEXT) || '!' FROM person;
SELECT CAST(raw AS REAL) FROM reading;
SELECT CAST(raw AS INTEGER) FROM reading;
SELECT day FROM reading WHERE CAST(raw AS REAL) > 5;
SELECT day FROM reading WHERE CAST(value AS TEXT) = raw;
SELECT CAST(count(*) AS REAL) / 3 FROM person;
SELECT CAST(sum(CASE WHEN height > 1.7 THEN 1 ELSE 0 END) AS REAL) * 100 / count(*) FROM person;
SELECT CAST(bought AS DATE) FROM purchase;
SELECT CAST(substr(bought, 1, 4) AS INTEGER) AS year, count(*) FROM purchase GROUP BY year;
SELECT id FROM purchase WHERE CAST(paid AS TEXT) LIKE '9%';
SELECT CAST(label AS NUMERIC), CAST(label AS BLOB) FROM product;
SELECT CAST(height * 100 AS INT) FROM person;
SELECT max(CAST(raw AS REAL)) FROM reading;
SELECT CAST('12abc' AS INTEGER), CAST('abc' AS REAL), CAST(2.9 AS INTEGER), CAST(-2.9 AS INTEGER);

-- # dates
SELECT id FROM purchase WHERE bought > '2021-03-01';
SELECT id, date(bought) FROM purchase;
SELECT id FROM purchase WHERE date(bought) = '2021-03-01';
SELECT id, strftime('%Y', bought) FROM purchase;
SELECT strftime('%Y-%m', bought) AS month, count(*) FROM purchase GROUP BY month ORDER BY month;
SELECT id FROM purchase WHERE strftime('%Y', bought) = '2022';
SELECT id FROM purchase WHERE CAST(strftime('%m', bought) AS INTEGER) > 3;
SELECT day, date(day, '+1 day') FROM reading;
SELECT day, date(day, 'start of month', '+1 month', '-1 day') FROM reading;
SELECT id, julianday('2022-01-01') - julianday(bought) FROM purchase;
SELECT name, strftime('%Y', '2024-06-30') - strftime('%Y', born) AS years FROM person;
SELECT name FROM person WHERE born LIKE '1980%' OR strftime('%m', born) = '12';
SELECT datetime(bought, '+90 minutes'), time(bought) FROM purchase WHERE id = 5;
SELECT unixepoch(day) FROM reading;
SELECT substr(born, 6, 2) AS month, count(*) FROM person GROUP BY month;
SELECT name FROM person ORDER BY date(born) DESC, id;
SELECT strftime('%w', day), strftime('%j', day), strftime('%W', day) FROM reading;

-- # text functions
SELECT upper(name), lower(name) FROM person;
SELECT name FROM person WHERE lower(name) = 'ada';
SELECT name, length(name) FROM person;
SELECT substr(name, 1, 1) FROM person;
SELECT substr(name, 2) FROM person;
SELECT substr(name, -2, 2) FROM person;
SELECT substring(name, 2, 2) FROM person;
SELECT trim(name), ltrim(name), rtrim(name) FROM person;
SELECT rtrim(name, ' s') FROM person;
SELECT replace(note, 'gift', 'present') FROM purchase;
SELECT id, instr(note, 't') FROM purchase;
SELECT name FROM city WHERE instr(name, 'er') > 0;
SELECT substr(bought, instr(bought, '-') + 1) FROM purchase;
SELECT printf('%.1f', height) FROM person;
SELECT format('%s-%d', name, id) FROM city;
SELECT hex(name), quote(name), unicode(name) FROM city;
SELECT char(65, 66), concat('a', NULL, 1), concat_ws('-', 'a', NULL, 'b');

-- # number functions
SELECT abs(pieces) FROM purchase;
SELECT round(height, 1) FROM person;
SELECT round(height) FROM person;
SELECT round(paid / pieces, 2) FROM purchase WHERE pieces > 0;
SELECT sign(pieces) FROM purchase;
SELECT floor(height), ceil(height) FROM person;
SELECT sqrt(paid), power(pieces, 2) FROM purchase WHERE paid >= 0;
SELECT max(height, 1.7) FROM person;
SELECT min(stock, price) FROM product;
SELECT pi() > 3, mod(7, 3);
SELECT typeof(paid), count(*) FROM purchase GROUP BY typeof(paid);
SELECT likely(id) FROM city WHERE unlikely(population > 200000);

-- # json
SELECT json_extract('{"a": [1, 2, {"b": 3}]}', '$.a[2].b');
SELECT '{"a": 5}' -> 'a', '{"a": 5}' ->> 'a';
SELECT id, json_array(id, name) FROM city;
SELECT json_object('town', name) FROM city;

-- # collations
SELECT id FROM person WHERE nick = 'ACE';
SELECT id FROM person WHERE nick = 'BEN' COLLATE BINARY;
SELECT id FROM person WHERE name = 'ADA' COLLATE NOCASE;
SELECT id FROM person WHERE name COLLATE RTRIM = 'Gus';
SELECT DISTINCT lower(nick) FROM person;
SELECT lower(nick), count(*) FROM person GROUP BY lower(nick);
SELECT count(DISTINCT nick), count(DISTINCT name) FROM person;
SELECT name FROM person ORDER BY name COLLATE NOCASE, id;
SELECT id, nick FROM person ORDER BY nick, id;
SELECT id FROM person WHERE nick IN ('ACE', 'eVe');
SELECT id FROM person WHERE name IN ('Ada', 'EVE');
SELECT a.id, b.id FROM person AS a JOIN person AS b ON a.nick = b.nick AND a.id < b.id;
SELECT a.id, b.id FROM person AS a JOIN person AS b ON b.nick = a.name AND a.id < b.id;
SELECT max(name COLLATE NOCASE) FROM city WHERE id IN (1, 3, 4);
SELECT id FROM person WHERE nick < 'b';
SELECT id FROM person WHERE nick LIKE 'a%';

-- # names and texts in double quotes
SELECT name FROM city WHERE country = "CH";
SELECT name FROM city WHERE "country" = "AT" OR name = "Roma";
SELECT name FROM city WHERE name = "Bern" AND country = 'CH';
SELECT name FROM city WHERE "name" > "Graz";
SELECT "town", name FROM city;
SELECT id FROM purchase WHERE note = "gift";
SELECT id FROM purchase WHERE note LIKE "%ift%";
SELECT name FROM city WHERE country IN ("CH", "DE");
SELECT id FROM purchase WHERE note > "code";
SELECT "item no" FROM "order item" WHERE "group" = "A";
SELECT c.name FROM city AS c WHERE c.country < "name";
SELECT c."name" FROM city AS c WHERE c.`country` = 'CH';
SELECT count(*) FROM person WHERE name = "Ada" AND born = "1970-03-15";

-- # rowid
SELECT rowid, name FROM city;
SELECT rowid FROM member WHERE name = 'Ada';
SELECT a.rowid, b.rowid FROM member AS a JOIN member AS b ON a.name = b.name AND a.rowid < b.rowid;
SELECT name FROM member ORDER BY rowid DESC LIMIT 3;
SELECT max(rowid) FROM member;
SELECT _rowid_, oid FROM reading WHERE hour = 9;
SELECT name FROM city WHERE rowid = 3;

-- # aliases that look like columns
SELECT height AS id, name FROM person WHERE id > 3;
SELECT name AS country, country AS name FROM city ORDER BY country;
SELECT pieces AS paid FROM purchase WHERE paid > 5;
SELECT pieces * 2 AS twice FROM purchase WHERE twice > 4;
SELECT id AS n, n + 1 FROM (SELECT id, pieces AS n FROM purchase);
SELECT code AS x, count(*) AS n FROM purchase GROUP BY x HAVING n > 1 ORDER BY n DESC, x;
SELECT p.id AS pieces, sum(u.pieces) FROM person AS p JOIN purchase AS u ON u.person_id = p.id GROUP BY p.id ORDER BY pieces;

-- # several things at once
SELECT c.country, count(DISTINCT p.id) AS people, round(avg(p.height), 2) AS height FROM city AS c JOIN person AS p ON p.city_id = c.id WHERE c.population > 100000 GROUP BY c.country HAVING count(*) > 1 ORDER BY people DESC, c.country LIMIT 2;
SELECT p.name FROM person AS p JOIN purchase AS u ON u.person_id = p.id JOIN product AS q ON q.code = u.code WHERE q.kind = 'drink' GROUP BY p.id HAVING sum(u.pieces) = (SELECT max(s) FROM (SELECT sum(u2.pieces) AS s FROM purchase AS u2 JOIN product AS q2 ON q2.code = u2.code WHERE q2.kind = 'drink' AND u2.person_id IS NOT NULL GROUP BY u2.person_id));
WITH monthly AS (SELECT substr(bought, 1, 7) AS month, sum(paid) AS paid FROM purchase WHERE bought IS NOT NULL GROUP BY month) SELECT month, paid, paid - lag(paid) OVER (ORDER BY month) AS change FROM monthly ORDER BY month;
SELECT kind, name, price FROM product AS q WHERE price > (SELECT avg(price) FROM product WHERE kind = q.kind) ORDER BY kind, price DESC;
SELECT name FROM (SELECT p.name AS name, count(u.id) AS n, p.height AS height FROM person AS p LEFT JOIN purchase AS u ON u.person_id = p.id GROUP BY p.id) AS t WHERE n = 0 AND height > 1.6 OR n > 2 ORDER BY name;
SELECT CAST(sum(iif(q.kind = 'drink', u.pieces, 0)) AS REAL) / sum(u.pieces) FROM purchase AS u JOIN product AS q ON q.code = u.code;
SELECT c.name, t.name, t.height FROM city AS c JOIN (SELECT city_id, name, height, rank() OVER (PARTITION BY city_id ORDER BY height DESC) AS place FROM person) AS t ON t.city_id = c.id AND t.place = 1 ORDER BY c.name, t.name;
SELECT 'buys' AS what, count(*) FROM purchase WHERE pieces > 0 UNION ALL SELECT 'returns', count(*) FROM purchase WHERE pieces < 0 UNION ALL SELECT 'unknown', count(*) FROM purchase WHERE pieces IS NULL;
SELECT u.code, sum(u.paid) AS paid FROM purchase AS u WHERE u.code NOT IN (SELECT code FROM product WHERE stock < 1 OR stock IS NULL) GROUP BY u.code ORDER BY paid DESC LIMIT 3;
SELECT DISTINCT a.name, b.name FROM person AS a JOIN person AS b ON a.manager_id = b.manager_id AND a.id < b.id WHERE a.height >= b.height OR b.height IS NULL ORDER BY a.name, b.name;
