import type { Logger } from '../base/logger.ts';
import { type CliContext, colorsFor } from './terminal/context.ts';
import { UsageError } from './terminal/report-error.ts';
import { printableLine } from './terminal/text-width.ts';

const levels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
type Level = (typeof levels)[number];

export interface LoggerOptions {
  /** Used if ZOO_LOG is not set. */
  level: Level;
  /** Writes JSON lines, even on a terminal. */
  json?: boolean | undefined;
}

export interface CliLogger extends Logger {
  /** Sets the values to hide in all later records. Values of secret-named environment variables are always hidden. */
  hide(values: readonly string[]): void;
}

/** Logs to stderr, without secrets. The logging library is loaded with the first record. */
export function createLogger(context: CliContext, options: LoggerOptions): CliLogger {
  const minIndex = levels.indexOf(chosenLevel(context, options.level));
  let writer: Promise<Logger> | undefined;
  let hidden: readonly string[] = [];
  const write = (level: Exclude<Level, 'silent'>) => (fields: object, message: string) => {
    if (levels.indexOf(level) < minIndex) return;
    writer ??= openWriter(context, options.json ?? false, () => hidden);
    context.logged = writer.then((logger) => logger[level](fields, message), reportOnce);
  };
  // Without the writer, secrets would not be removed, so only its failure is reported, not the records.
  let isReported = false;
  const reportOnce = (error: unknown) => {
    if (isReported) return;
    isReported = true;
    context.stderr.write(`zoo: The log cannot be written: ${error instanceof Error ? error.message : String(error)}\n`);
  };
  const hide = (values: readonly string[]) => {
    hidden = values;
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error'), hide };
}

function chosenLevel(context: CliContext, fallback: Level): Level {
  const requested = context.env.ZOO_LOG;
  if (!requested) return fallback;
  const level = levels.find((each) => each === requested.toLowerCase());
  if (level) return level;
  throw new UsageError(`Invalid ZOO_LOG "${requested}". Use one of ${levels.join(', ')}.`);
}

async function openWriter(context: CliContext, isJson: boolean, hidden: () => readonly string[]): Promise<Logger> {
  const [{ pino }, redactLine] = await Promise.all([import('pino'), openRedact(context, hidden)]);
  const isRaw = isJson || !context.stderr.isTTY;
  const stderr = isRaw && context.stderr === process.stderr ? pino.destination({ fd: 2, sync: true }) : undefined;
  // Redacts the whole line: message, fields, and errors with their stacks and causes.
  const write = (line: string) => {
    const clean = redactLine(line);
    if (stderr) stderr.write(clean);
    else context.stderr.write(isRaw ? clean : forPeople(context, clean));
  };
  const logger = pino({ level: 'debug', base: null, formatters: { level: (label) => ({ level: label }) } }, { write });
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  };
}

async function openRedact(context: CliContext, hidden: () => readonly string[]): Promise<(line: string) => string> {
  const [{ createRedact }, { secretValues }] = await Promise.all([
    import('../tools/redact/redact.ts'),
    import('../config/secret-values.ts'),
  ]);
  const ofEnv = secretValues(context.env, []);
  let values = hidden();
  let redact = createRedact({ values: [...ofEnv, ...values] });
  return (line) => {
    if (values !== hidden()) {
      values = hidden();
      redact = createRedact({ values: [...ofEnv, ...values] });
    }
    return redact(line);
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
