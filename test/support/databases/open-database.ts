import { silentLogger } from '../../../src/base/logger.ts';
import { openDatabase } from '../../../src/store/open-store.ts';

/** Opens a database, which migrates it, and reports that. */
const [, , db = ''] = process.argv;
process.stdout.write('opening\n');
const database = await openDatabase(JSON.parse(db), silentLogger);
process.stdout.write('open\n');
await database.close();
