import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { HubError } from '../../base/hub-error.ts';
import type { CliContext } from './context.ts';
import { printableLine } from './text-width.ts';

/** Invalid use of a command. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Prints one sentence to stderr, and the stack if ZOO_DEBUG is set. Returns the exit code. */
export function reportError(context: CliContext, error: unknown): number {
  context.stderr.write(`zoo: ${sentence(error)}\n`);
  if (isDebugging(context)) context.stderr.write(`${stackOf(error)}\n`);
  return error instanceof UsageError ? 2 : 1;
}

function sentence(error: unknown): string {
  if (error instanceof HubError && error.code !== 'INTERNAL_ERROR') return printableLine(error.message);
  if (error instanceof UsageError) return printableLine(error.message);
  const known = systemFailure(error);
  if (known) return known;
  const message = error instanceof Error ? error.message : String(error);
  return `Something went wrong: ${printableLine(message)} Set ZOO_DEBUG=1 to see where.`;
}

/** Describes an error of the operating system. */
function systemFailure(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  if (error.code === 'EISDIR') return 'Expected a file, but this is a folder.';
  const path = 'path' in error && typeof error.path === 'string' ? error.path : undefined;
  if (!path) return undefined;
  const isMaking = 'syscall' in error && error.syscall === 'mkdir';
  if (error.code === 'EACCES' || error.code === 'EPERM')
    return isMaking ? `No permission to create the folder ${path}.` : `No permission to read or write ${path}.`;
  if (error.code === 'ENOENT') {
    // Reading and writing fail alike, so the message names what is missing.
    const folder = dirname(path);
    return existsSync(folder) ? `No such file or folder: ${path}.` : `No such folder: ${folder}.`;
  }
  if (error.code === 'ENOTDIR') return `A part of ${path} is a file, not a folder.`;
  if (error.code === 'ENOSPC') return `No space left to write ${path}.`;
  if (error.code === 'EROFS') return `${path} is on a read-only file system.`;
  return undefined;
}

function isDebugging(context: CliContext): boolean {
  return Boolean(context.env.ZOO_DEBUG) && context.env.ZOO_DEBUG !== '0';
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\nCaused by: ${stackOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}
