import type { Logger } from '../../base/logger.ts';
import type { Database } from '../database.ts';
export async function openPostgres(_options: { url: string; logger: Logger }): Promise<Database> {
  throw new Error('not yet');
}
