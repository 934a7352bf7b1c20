#!/bin/sh
# Run by PostgreSQL's image in place of its own start: copies the primary if there is no copy yet, then follows it. PRIMARY
# says where it is; the copy remembers that and the password. Options of postgres may follow.
set -eu
if [ ! -e "$PGDATA/PG_VERSION" ]; then
  # A copy that was interrupted is none.
  rm -rf "$PGDATA.new"
  until PGPASSWORD=$REPLICATION_PASSWORD pg_basebackup --pgdata "$PGDATA.new" --dbname "$PRIMARY" --checkpoint fast \
    --write-recovery-conf; do
    rm -rf "$PGDATA.new"
    sleep 5
  done
  # The image may have made an empty one.
  rm -rf "$PGDATA"
  mv "$PGDATA.new" "$PGDATA"
fi
exec postgres "$@"
