import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { webhookSender } from '../../../src/delivery/webhooks.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { teamEvents } from '../../../src/team/events/team-events.ts';

/** A process that delivers events to one webhook until it is killed: `node event-deliverer.ts DB_AS_JSON URL`. */
const [db = '', url = ''] = process.argv.slice(2);
const store = await openStore({ db: JSON.parse(db), clock: systemClock, logger: silentLogger });
const audit = webhookSender({ name: 'audit', url, secret: 'a secret for tests', clock: systemClock });
const parts = { store: store.team, clock: systemClock, logger: silentLogger, redact: (text: string) => text };
teamEvents(parts, { senders: () => new Map([['webhook:audit', audit]]) }).start();
