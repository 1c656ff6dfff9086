import { moveStore } from '../../../src/store/move.ts';

/** Moves a database as a process that can be killed. */
const [, , options = ''] = process.argv;
await moveStore(JSON.parse(options));
