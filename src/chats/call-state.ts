export type CallState = 'waiting' | 'running' | 'finished' | 'failed' | 'denied';

/** Describes the state of a call. If its run was interrupted while it ran, its effect is unknown. */
export function stateWords(state: CallState, isInterrupted: boolean): string {
  switch (state) {
    case 'waiting':
      return isInterrupted ? 'was not started' : 'waiting';
    case 'running':
      return isInterrupted ? 'was running; it may have taken effect' : 'running';
    case 'finished':
      return 'done';
    case 'failed':
      return 'error';
    case 'denied':
      return 'denied';
  }
}
