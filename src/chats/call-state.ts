export type CallState = 'waiting' | 'running' | 'finished' | 'failed' | 'denied';

/** A call of a run that nobody goes on with: whether it had an effect is not known for one that ran. */
export function stateWords(state: CallState, isInterrupted: boolean): string {
  switch (state) {
    case 'waiting':
      return isInterrupted ? 'was not begun' : 'waits';
    case 'running':
      return isInterrupted ? 'was running; it may have had its effect' : 'runs';
    case 'finished':
      return 'done';
    case 'failed':
      return 'error';
    case 'denied':
      return 'denied';
  }
}
