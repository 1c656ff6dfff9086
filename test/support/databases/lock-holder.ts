import { DatabaseSync } from 'node:sqlite';

/** A process that holds the write lock of a SQLite file until its input ends: `node lock-holder.ts PATH`. */
const database = new DatabaseSync(process.argv[2] ?? '', { timeout: 5000 });
database.exec('begin immediate');
process.stdout.write('locked\n');
process.stdin.resume().once('end', () => {
  database.exec('commit');
  database.close();
});
