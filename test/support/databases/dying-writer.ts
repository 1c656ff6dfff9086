import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { memberRow } from '../team/team-rows.ts';

/** A process that kills itself as soon as its write returns: `node dying-writer.ts DB_AS_JSON MEMBER_ID`. */
const [db = '', id = ''] = process.argv.slice(2);
const store = await openStore({ db: JSON.parse(db), clock: systemClock, logger: silentLogger });
await store.team.write((rows) => rows.addMember(memberRow(id)));
process.kill(process.pid, 'SIGKILL');
