import type { Logger } from '../base/logger.ts';
import type { CliContext } from './context.ts';
import { colorsFor } from './context.ts';
import { UsageError } from './report-error.ts';
import { printableLine } from './text-width.ts';

const levels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
type Level = (typeof levels)[number];

export interface LoggerOptions {
  /** Used when ZOO_LOG says nothing. */
  level: Level;
  /** JSON lines also on a terminal. */
  json?: boolean | undefined;
}

/** Logs to stderr. The library behind it is loaded with the first record that is written. */
export function createLogger(context: CliContext, options: LoggerOptions): Logger {
  const least = levels.indexOf(chosenLevel(context, options.level));
  let writer: Promise<Logger> | undefined;
  const write = (level: Exclude<Level, 'silent'>) => (fields: object, message: string) => {
    if (levels.indexOf(level) < least) return;
    writer ??= openWriter(context, options.json ?? false);
    writer.then(
      (logger) => logger[level](fields, message),
      () => {},
    );
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

function chosenLevel(context: CliContext, fallback: Level): Level {
  const wish = context.env.ZOO_LOG;
  if (!wish) return fallback;
  const level = levels.find((each) => each === wish.toLowerCase());
  if (level) return level;
  throw new UsageError(`ZOO_LOG is "${wish}"; it can be ${levels.join(', ')}.`);
}

async function openWriter(context: CliContext, isJson: boolean): Promise<Logger> {
  const { pino } = await import('pino');
  const destination =
    isJson || !context.stderr.isTTY
      ? pino.destination({ fd: 2, sync: true })
      : { write: (line: string) => void context.stderr.write(forPeople(context, line)) };
  const logger = pino(
    { level: 'debug', base: null, formatters: { level: (label) => ({ level: label }) } },
    destination,
  );
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  };
}

function forPeople(context: CliContext, line: string): string {
  const colors = colorsFor(context, context.stderr);
  const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const paint = level === 'error' ? colors.red : level === 'warn' ? colors.yellow : colors.dim;
  const clock = new Date(Number(time)).toTimeString().slice(0, 8);
  const extras = Object.entries(fields).map(([key, value]) => ` ${key}=${asText(value)}`);
  return `${colors.dim(clock)} ${paint(String(level).padEnd(5))} ${printableLine(String(msg))}${colors.dim(extras.join(''))}\n`;
}

function asText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return printableLine(text);
}
