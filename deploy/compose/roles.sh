#!/bin/sh
# Run once by PostgreSQL's image, when its volume is new: the scanner owns the database, and may make another one for an
# upgrade; web servers may only read; a replica may only copy. psql takes the passwords from the environment: everybody may
# read a command line.
set -eu
# The image's own lines are not for replicas.
echo 'host replication replication samenet scram-sha-256' >>"$PGDATA/pg_hba.conf"
psql --set ON_ERROR_STOP=1 --username postgres --dbname postgres <<'SQL'
\getenv scanner_password SCANNER_PASSWORD
\getenv web_password WEB_PASSWORD
\getenv replication_password REPLICATION_PASSWORD
\getenv database DATABASE
create role scanner login createdb password :'scanner_password';
create role web login password :'web_password';
grant pg_read_all_data to web;
create role replication login replication password :'replication_password';
create database :"database" owner scanner encoding 'UTF8' template template0;
SQL
