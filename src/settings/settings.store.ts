import type { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import { onTopics } from '../db/change-bus.ts';
import type { Database, Write } from '../db/database.ts';
import { cleanText } from '../db/rows.ts';
import type { SeenVersion, Setting, SettingChange, SettingStore } from './settings.ts';

/** The maximum length of a value as JSON. */
const maxValueLength = 1_000_000;

interface SettingParts {
  database: Database;
  clock: Clock;
  logger: Logger;
}

/** Each change first raises the `settings` counter, which admits one writer at a time. Its value becomes the setting's version. */
export class StoredSettings implements SettingStore {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** All settings, as of a value of the counter. */
  #known: { counter: number; settings: Map<string, Setting> } | undefined;

  constructor({ database, clock, logger }: SettingParts) {
    this.#database = database;
    this.#clock = clock;
    this.#logger = logger;
  }

  async read<T>(key: string, schema: z.ZodType<T>): Promise<Setting<T> | undefined> {
    const setting = (await this.#all()).get(key);
    return setting && this.#parse(setting, schema)[0];
  }

  async list<T>(prefix: string, schema: z.ZodType<T>): Promise<Setting<T>[]> {
    return [...(await this.#all()).values()]
      .filter(({ key }) => key.startsWith(prefix))
      .flatMap((setting) => this.#parse(setting, schema));
  }

  async write<T>(key: string, value: T, seen?: SeenVersion): Promise<Setting<T>> {
    const text = textOf(key, value);
    return this.#database.write(async (write) => ({ key, value, ...(await this.#put(write, { key, text, seen })) }));
  }

  delete(key: string, seen?: SeenVersion): Promise<boolean> {
    return this.#database.write((write) => this.#remove(write, key, seen));
  }

  async change(changes: readonly SettingChange[]): Promise<void> {
    const rows = changes.map(({ key, value, seen }) => ({
      key,
      seen,
      text: value === undefined ? undefined : textOf(key, value),
    }));
    await this.#database.write(async (write) => {
      for (const { key, seen, text } of rows) {
        if (text === undefined) await this.#remove(write, key, seen);
        else await this.#put(write, { key, text, seen });
      }
    });
  }

  async #put(write: Write, { key, text, seen }: { key: string; text: string; seen: SeenVersion }) {
    const version = await this.#begin(write, key, seen);
    const updatedAt = this.#clock.now();
    const row = { value: text, version, updated_at: updatedAt };
    await write.db
      .insertInto('settings')
      .values({ key, ...row })
      .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
      .execute();
    return { version, updatedAt };
  }

  async #remove(write: Write, key: string, seen: SeenVersion): Promise<boolean> {
    await this.#begin(write, key, seen);
    const { numDeletedRows } = await write.db.deleteFrom('settings').where('key', '=', key).executeTakeFirst();
    return numDeletedRows > 0n;
  }

  watch(onChange: (keys: readonly string[]) => void): () => void {
    return onTopics(this.#database.changes, ['settings'], (_topic, keys) => onChange(keys));
  }

  /** Returns the version of the change. */
  async #begin(write: Write, key: string, seen: SeenVersion): Promise<number> {
    const version = await write.bump('settings');
    write.changed('settings', key);
    if (seen === undefined) return version;
    const before = await write.db.selectFrom('settings').select('version').where('key', '=', key).executeTakeFirst();
    const current = before?.version ?? null;
    if (current === seen) return version;
    const what = current === null ? 'has been removed' : 'was changed meanwhile';
    const message = `The setting "${key}" ${what}. Reload it and try again.`;
    throw new HubError('CONFLICT', message, { details: { expected: seen, current } });
  }

  async #all(): Promise<Map<string, Setting>> {
    const counter = this.#database.changes.version('settings');
    if (counter === 0) return new Map();
    if (this.#known && this.#known.counter === counter) return this.#known.settings;
    const rows = await this.#database.read((db) => db.selectFrom('settings').selectAll().orderBy('key').execute());
    const settings = new Map(rows.map((row) => [row.key, toSetting(row)]));
    this.#known = counter === undefined ? undefined : { counter, settings };
    return settings;
  }

  #parse<T>(setting: Setting, schema: z.ZodType<T>): Setting<T>[] {
    const { success, data, error } = schema.safeParse(setting.value);
    if (success) return [{ ...setting, value: data }];
    this.#logger.warn(
      { setting: setting.key, err: error },
      'a stored setting is not valid in this version; it is ignored',
    );
    return [];
  }
}

function textOf(key: string, value: unknown): string {
  const text = cleanText(JSON.stringify(value));
  if (text.length <= maxValueLength) return text;
  throw new HubError('INVALID_ARGUMENTS', `The setting "${key}" is longer than ${maxValueLength} characters.`);
}

function toSetting({ key, value, version, updated_at }: SettingRow): Setting {
  return { key, value: JSON.parse(value), version, updatedAt: updated_at };
}

declare module '../db/tables.ts' {
  interface Tables {
    settings: SettingRow;
  }
}

interface SettingRow {
  key: string;
  /** JSON. */
  value: string;
  version: number;
  updated_at: number;
}
