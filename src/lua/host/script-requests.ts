import { HubError } from '../../base/hub-error.ts';
import type { LuaHost } from '../sandbox/lua-job.ts';

/** Watches the requests of one run, to tell whether it failed because of the network and may be repeated. */
export interface ScriptRequests extends Required<Pick<LuaHost, 'onRequest'>> {
  /** Returns TRANSIENT_ERROR if the network failed and nothing can have changed; any other error as it is. */
  explain(error: unknown): unknown;
}

/** Errors of a connection that was never made. */
const neverConnected = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

export function watchRequests(): ScriptRequests {
  let mayHaveChanged = false;
  let failure: HubError | undefined;
  return {
    onRequest({ method, hasArrived, error }) {
      if (error && isNetworkFault(error)) failure = error;
      if (method !== 'GET' && (hasArrived || !error || !wasNeverSent(error))) mayHaveChanged = true;
    },
    explain(error) {
      const isScriptError = error instanceof HubError && error.code === 'TOOL_ERROR';
      // A script that caught the failure may have failed for another reason.
      if (!isScriptError || !failure || mayHaveChanged || !error.message.includes(failure.message)) return error;
      return new HubError('TRANSIENT_ERROR', error.message, { cause: error });
    },
  };
}

function isNetworkFault({ code }: HubError): boolean {
  return code === 'UNAVAILABLE' || code === 'TIMEOUT';
}

function wasNeverSent({ code, cause }: HubError): boolean {
  if (code === 'INVALID_ARGUMENTS' || code === 'PERMISSION_DENIED') return true;
  return codesOf(cause).some((each) => neverConnected.has(each));
}

function codesOf(cause: unknown): string[] {
  if (cause instanceof AggregateError) return cause.errors.flatMap(codesOf);
  return cause instanceof Error && 'code' in cause ? [String(cause.code)] : [];
}
