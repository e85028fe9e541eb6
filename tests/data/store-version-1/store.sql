PRAGMA application_id=1751544692; PRAGMA user_version=1;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE meta(
  name TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES('secret',X'1002030f67cc9a1b15c3396bf69af5aee803e0fe31b5db87a4405403fd88005d');
INSERT INTO meta VALUES('store_id',X'c2237c39aa15bc0fc835746dadf84d27');
CREATE TABLE sessions(
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  root_uri TEXT NOT NULL,
  root_name TEXT NOT NULL,
  linked_roots TEXT NOT NULL,
  project TEXT NOT NULL,
  task TEXT NOT NULL,
  aspect TEXT NOT NULL,
  domain TEXT NOT NULL,
  tags TEXT NOT NULL,
  status TEXT NOT NULL,
  visibility INTEGER NOT NULL,
  prior_status TEXT NOT NULL,
  prior_visibility INTEGER NOT NULL,
  pinned INTEGER NOT NULL,
  principal TEXT NOT NULL,
  client TEXT NOT NULL,
  rev INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  last_activity_at INTEGER NOT NULL,
  last_accessed_at INTEGER NOT NULL,
  archived_at INTEGER,
  deleted_at INTEGER,
  completed_at INTEGER,
  retention_anchor_at INTEGER,
  due_at INTEGER,
  changed INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  head BLOB NOT NULL,
  checksum BLOB NOT NULL
) STRICT;
INSERT INTO sessions VALUES(1,'plain','reasoning','Title of plain','file:///one','','[]','','','','','["tag"]','active',0,'',0,0,'local','',4,1790000001000,1790000008000,1790000001000,1790000001000,NULL,NULL,NULL,NULL,NULL,22,2,X'89de8df72a9562a8f478d5e9b7c9fa122949976f1f15961caa287eb9d1040b2a',X'9328b138867334dfbdcca21c79622d30');
INSERT INTO sessions VALUES(2,'linked','reasoning','Title of linked','file:///one','','["file:///two"]','','','design','','["tag"]','active',0,'',0,0,'local','',3,1790000002000,1790000002000,1790000002000,1790000002000,NULL,NULL,NULL,NULL,NULL,4,2,X'e7b7a7d9bf9fd2b2893e5f901fcb649cf55e0c904de688a5aa1850ebbf99938d',X'5bdbe1ef96dca9fe9fcc44d03ebe9891');
INSERT INTO sessions VALUES(3,'only-linked','reasoning','Title of only-linked','','','["file:///two"]','','','','','["tag"]','completed',0,'',0,1,'local','',3,1790000003000,1790000003000,1790000003000,1790000003000,NULL,NULL,NULL,NULL,NULL,7,2,X'83416cd694a7741f706428961c11f7c38035a09a854d05870286a9392b673ed2',X'2bdb55ff9aea6630e073c1153d3ff07a');
INSERT INTO sessions VALUES(4,'thread-aaaaaaaa','thread','Title of thread-aaaaaaaa','','','[]','','','chat','','["tag"]','active',1,'',0,0,'local','',3,1790000004000,1790000004000,1790000004000,1790000004000,NULL,NULL,NULL,NULL,1797000000000,10,2,X'40a6d47649a24e2c39d247ed7f0d457deb44cdaf9ff93987d6cfc3c6ea5c1a58',X'244acb54f754273edc95b3ebfd409bea');
INSERT INTO sessions VALUES(5,'thread-bbbbbbbb','thread','Title of thread-bbbbbbbb','file:///one','','[]','','','ideate','','["tag"]','active',0,'',0,0,'ann','',3,1790000005000,1790000005000,1790000005000,1790000005000,NULL,NULL,NULL,NULL,1796000000000,13,2,X'2d463cc5998ced8bc11080dd0c9ef9fbb031d898337816d4aa097656b23307ba',X'21a9832c6080538447f189ae8db26f3a');
INSERT INTO sessions VALUES(6,'research-cccccccc','research','Title of research-cccccccc','','','[]','','','','','["tag"]','completed',2,'',0,0,'local','',3,1790000006000,1790000006000,1790000006000,1790000006000,NULL,NULL,NULL,NULL,1795000000000,16,2,X'8a7c8f8ac7ef212c0467a0b2777e761c5a383684ae459d2459db7787d9777155',X'92d002c33e2a10c85648192ab5f5045e');
CREATE TABLE session_texts(
  session INTEGER PRIMARY KEY,
  description TEXT NOT NULL,
  opening TEXT NOT NULL,
  folded TEXT NOT NULL,
  data TEXT NOT NULL,
  checksum BLOB NOT NULL
) STRICT;
INSERT INTO session_texts VALUES(1,'About it','It began',replace('title of plain\nabout it\nit began\ntag','\n',char(10)),'{"n":1}',X'd1a64bb28e82f820ea69a7db14a8da44');
INSERT INTO session_texts VALUES(2,'About it','It began',replace('title of linked\nabout it\nit began\ntag','\n',char(10)),'{"n":1}',X'd1a64bb28e82f820ea69a7db14a8da44');
INSERT INTO session_texts VALUES(3,'About it','It began',replace('title of only-linked\nabout it\nit began\ntag','\n',char(10)),'{"n":1}',X'd1a64bb28e82f820ea69a7db14a8da44');
INSERT INTO session_texts VALUES(4,'About it','It began',replace('title of thread-aaaaaaaa\nabout it\nit began\ntag','\n',char(10)),'{"n":1}',X'd1a64bb28e82f820ea69a7db14a8da44');
INSERT INTO session_texts VALUES(5,'About it','It began',replace('title of thread-bbbbbbbb\nabout it\nit began\ntag','\n',char(10)),'{"n":1}',X'd1a64bb28e82f820ea69a7db14a8da44');
INSERT INTO session_texts VALUES(6,'About it','It began',replace('title of research-cccccccc\nabout it\nit began\ntag','\n',char(10)),'{"n":1}',X'd1a64bb28e82f820ea69a7db14a8da44');
CREATE TABLE roots(
  root TEXT NOT NULL,
  session INTEGER NOT NULL,
  PRIMARY KEY(root, session)
) STRICT, WITHOUT ROWID;
INSERT INTO roots VALUES('file:///one',1);
INSERT INTO roots VALUES('file:///one',2);
INSERT INTO roots VALUES('file:///two',2);
INSERT INTO roots VALUES('file:///two',3);
INSERT INTO roots VALUES('file:///one',5);
CREATE TABLE tags(
  tag TEXT NOT NULL,
  session INTEGER NOT NULL,
  PRIMARY KEY(tag, session)
) STRICT, WITHOUT ROWID;
INSERT INTO tags VALUES('tag',1);
INSERT INTO tags VALUES('tag',2);
INSERT INTO tags VALUES('tag',3);
INSERT INTO tags VALUES('tag',4);
INSERT INTO tags VALUES('tag',5);
INSERT INTO tags VALUES('tag',6);
CREATE TABLE entries(
  sequence INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  type TEXT NOT NULL,
  lane TEXT NOT NULL,
  number INTEGER NOT NULL,
  time INTEGER NOT NULL,
  author TEXT NOT NULL,
  run TEXT NOT NULL,
  key TEXT,
  previous BLOB NOT NULL,
  hash BLOB NOT NULL,
  salt BLOB,
  mac BLOB,
  data BLOB NOT NULL,
  text BLOB NOT NULL,
  UNIQUE(session, seq)
) STRICT;
INSERT INTO entries VALUES(2,1,1,'note','',1,1790000001000,'','',NULL,X'5b92621994043685c0f1a1811d2bda8030dae370eacf3949ff9c02a11664ca4f',X'da932ea4c2fd3f083ca5ac870a826b06c0f198da245fa60b6a60c42d828a0dd2',X'eb5bf3578fa6c12ef76270083def6ebe',NULL,X'',X'456e747279206f6620706c61696e');
INSERT INTO entries VALUES(3,1,2,'note','',2,1790000001000,'','',NULL,X'da932ea4c2fd3f083ca5ac870a826b06c0f198da245fa60b6a60c42d828a0dd2',X'89de8df72a9562a8f478d5e9b7c9fa122949976f1f15961caa287eb9d1040b2a',NULL,X'41e68188633bf53eb34034e05544f5d086730b27238fd8267243055b2909ce47',X'',X'5b72656461637465645d');
INSERT INTO entries VALUES(5,2,1,'note','',1,1790000002000,'','',NULL,X'255bf21fa861544b771e405eced6f4ac6d86dd3832dcdecfadbf0d7104dcad7d',X'4e1510530c87f730caac65ccd3d16ecf64d2cf11adf8d908061f253269fc501f',X'291e813cc2a18ede3fc2fa5bcc40d1a7',NULL,X'',X'456e747279206f66206c696e6b6564');
INSERT INTO entries VALUES(6,2,2,'note','',2,1790000002000,'','',NULL,X'4e1510530c87f730caac65ccd3d16ecf64d2cf11adf8d908061f253269fc501f',X'e7b7a7d9bf9fd2b2893e5f901fcb649cf55e0c904de688a5aa1850ebbf99938d',X'cc9fae009c1004a2233412a388d5a67f',NULL,X'',X'456e747279206f66206c696e6b6564');
INSERT INTO entries VALUES(8,3,1,'note','',1,1790000003000,'','',NULL,X'12a0ac3085669496ed88b9980c65cd8bc8785e91d628bb7aa4ab1a775d52711d',X'bd298021afaa949fb6922cf8dbcddd8730d6e2e1c776887ef262faf9dcfbff13',X'63993ea21e0e66243da8e14f2131f8f7',NULL,X'',X'456e747279206f66206f6e6c792d6c696e6b6564');
INSERT INTO entries VALUES(9,3,2,'note','',2,1790000003000,'','',NULL,X'bd298021afaa949fb6922cf8dbcddd8730d6e2e1c776887ef262faf9dcfbff13',X'83416cd694a7741f706428961c11f7c38035a09a854d05870286a9392b673ed2',X'c6d337cd36c1fcfd9ee367a6cbde533b',NULL,X'',X'456e747279206f66206f6e6c792d6c696e6b6564');
INSERT INTO entries VALUES(11,4,1,'note','',1,1790000004000,'','',NULL,X'a78ae4378388d6016cc2313f0a0287174c6fb899a1e91c2d1a101827d2b26f47',X'b2cd279427ef5173bbbdf897f50ced054b4ab24a9b86202f12d50722020d821e',X'2e206f1374fd99811f79bb8b6c8ccaae',NULL,X'',X'456e747279206f66207468726561642d6161616161616161');
INSERT INTO entries VALUES(12,4,2,'note','',2,1790000004000,'','',NULL,X'b2cd279427ef5173bbbdf897f50ced054b4ab24a9b86202f12d50722020d821e',X'40a6d47649a24e2c39d247ed7f0d457deb44cdaf9ff93987d6cfc3c6ea5c1a58',X'2b514e945abf38aa3eb657f2f0c79304',NULL,X'',X'456e747279206f66207468726561642d6161616161616161');
INSERT INTO entries VALUES(14,5,1,'note','',1,1790000005000,'','',NULL,X'918b458f93d09ea593a7e5956955a9f2c48a21e15d6faa1598be89db105bad5b',X'3884d96e9ef60b9c0464462e9379ab2598feb065d7ca0b04f402b1abbf91bab0',X'893564803e186211f4da43536c66566d',NULL,X'',X'456e747279206f66207468726561642d6262626262626262');
INSERT INTO entries VALUES(15,5,2,'note','',2,1790000005000,'','',NULL,X'3884d96e9ef60b9c0464462e9379ab2598feb065d7ca0b04f402b1abbf91bab0',X'2d463cc5998ced8bc11080dd0c9ef9fbb031d898337816d4aa097656b23307ba',X'e8ed5bc529bcb1abdd4077a8ef9092cb',NULL,X'',X'456e747279206f66207468726561642d6262626262626262');
INSERT INTO entries VALUES(17,6,1,'note','',1,1790000006000,'','',NULL,X'8d0040477a068c764204f7e796a86117b39df200f5ecc0142d64c07c756b54eb',X'1d1df6c270bfc45e4bc51c08d7ed95263ba4daa81ebc00e0af3b1f16ef1dddf8',X'719ca6b284f951d4880a9ab91d7e55b9',NULL,X'',X'456e747279206f662072657365617263682d6363636363636363');
INSERT INTO entries VALUES(18,6,2,'note','',2,1790000006000,'','',NULL,X'1d1df6c270bfc45e4bc51c08d7ed95263ba4daa81ebc00e0af3b1f16ef1dddf8',X'8a7c8f8ac7ef212c0467a0b2777e761c5a383684ae459d2459db7787d9777155',X'7d9d416501b9475bf3fc7f693f35b6ed',NULL,X'',X'456e747279206f662072657365617263682d6363636363636363');
CREATE TABLE tallies(
  session INTEGER NOT NULL,
  lane TEXT NOT NULL,
  type TEXT NOT NULL,
  count INTEGER NOT NULL,
  highest_number INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  last_time INTEGER NOT NULL,
  PRIMARY KEY(session, lane, type)
) STRICT, WITHOUT ROWID;
INSERT INTO tallies VALUES(1,'','note',2,2,2,1790000001000);
INSERT INTO tallies VALUES(2,'','note',2,2,2,1790000002000);
INSERT INTO tallies VALUES(3,'','note',2,2,2,1790000003000);
INSERT INTO tallies VALUES(4,'','note',2,2,2,1790000004000);
INSERT INTO tallies VALUES(5,'','note',2,2,2,1790000005000);
INSERT INTO tallies VALUES(6,'','note',2,2,2,1790000006000);
CREATE TABLE tombstones(
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  principal TEXT NOT NULL,
  deleted_at INTEGER,
  purged_at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  changed INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO tombstones VALUES('gone','run','local',NULL,1790000008000,'test',23);
CREATE TABLE erasures(
  sequence INTEGER PRIMARY KEY,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL
) STRICT;
INSERT INTO erasures VALUES(22,3,3);
INSERT INTO erasures VALUES(23,20,21);
CREATE TABLE lineage(
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  child TEXT NOT NULL,
  parent TEXT NOT NULL,
  how TEXT NOT NULL,
  time INTEGER NOT NULL,
  details TEXT NOT NULL
) STRICT;
INSERT INTO lineage VALUES(1,'linked','plain','fork',1790000008000,'{}');
CREATE TABLE keyed(
  space TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  rev INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  expires_at INTEGER,
  PRIMARY KEY(space, key)
) STRICT, WITHOUT ROWID;
INSERT INTO keyed VALUES('space','key','"value"',1,1790000008000,NULL);
CREATE TABLE leases(
  name TEXT PRIMARY KEY,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  started INTEGER NOT NULL,
  token TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  renewed_boot INTEGER NOT NULL,
  renewed_wall INTEGER NOT NULL,
  ttl INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('lineage',1);
CREATE INDEX sessions_changed ON sessions(changed);
CREATE INDEX roots_session ON roots(session);
CREATE INDEX tags_session ON tags(session);
CREATE UNIQUE INDEX entries_number ON entries(session, lane, number) WHERE number > 0;
CREATE UNIQUE INDEX entries_key ON entries(session, key) WHERE key IS NOT NULL;
CREATE INDEX tombstones_changed ON tombstones(changed);
CREATE INDEX lineage_child ON lineage(child);
CREATE INDEX lineage_parent ON lineage(parent);
CREATE INDEX keyed_expiry ON keyed(expires_at) WHERE expires_at IS NOT NULL;
COMMIT;
