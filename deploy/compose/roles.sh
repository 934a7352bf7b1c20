#!/bin/sh
# Run once by PostgreSQL's image, when its volume is new: the scanner owns the database, and may make another one for an
# upgrade; web servers may only read.
set -eu
psql --set ON_ERROR_STOP=1 --username postgres --dbname postgres \
  --set scanner_password="$SCANNER_PASSWORD" --set web_password="$WEB_PASSWORD" --set database="$DATABASE" <<'SQL'
create role scanner login createdb password :'scanner_password';
create role web login password :'web_password';
grant pg_read_all_data to web;
create database :"database" owner scanner encoding 'UTF8' template template0;
SQL
