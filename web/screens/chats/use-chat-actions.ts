import { useCallback, useState } from 'react';
import type { ApprovalAnswer } from '../../../src/engine/run-events.ts';
import { ApiError, request } from '../../api/client.ts';
import { showError } from '../../ui/toast.tsx';
import { errorHelp } from './error-help.ts';

export interface ChatActions {
  /** The message that was not taken, for people; null after the next that was. */
  failure: { code: string; message: string } | null;
  /** The call that was decided last. */
  deciding: string | null;
  send: (text: string) => Promise<boolean>;
  resend: (messageId: string, text: string) => Promise<boolean>;
  retry: () => void;
  stop: () => void;
  approve: (toolUseId: string, answer: ApprovalAnswer) => void;
}

/** What a person does in one chat. What comes of it arrives as the chat's events. */
export function useChatActions(id: string): ChatActions {
  const [failure, setFailure] = useState<ChatActions['failure']>(null);
  const [deciding, setDeciding] = useState<string | null>(null);
  const begin = useCallback(async (run: () => Promise<unknown>) => {
    try {
      await run();
      setFailure(null);
      return true;
    } catch (error) {
      setFailure(failureOf(error));
      return false;
    }
  }, []);
  const send = useCallback(
    (text: string) => begin(() => request('POST /api/chats/{id}/messages', { params: { id }, body: { text } })),
    [begin, id],
  );
  const resend = useCallback(
    (replaces: string, text: string) =>
      begin(() => request('POST /api/chats/{id}/messages', { params: { id }, body: { text, replaces } })),
    [begin, id],
  );
  const retry = useCallback(
    () => void begin(() => request('POST /api/chats/{id}/retry', { params: { id } })),
    [begin, id],
  );
  const stop = useCallback(() => {
    request('POST /api/chats/{id}/stop', { params: { id } }).catch((error) =>
      showError('The answer could not be stopped', error),
    );
  }, [id]);
  const approve = useCallback(
    (toolUseId: string, answer: ApprovalAnswer) => {
      setDeciding(toolUseId);
      // Taken: the card says so with its next event, and is decided only once.
      request('POST /api/chats/{id}/approvals/{toolUseId}', { params: { id, toolUseId }, body: { answer } }).catch(
        (error) => {
          setDeciding((now) => (now === toolUseId ? null : now));
          showError('The hub did not take your decision', error);
        },
      );
    },
    [id],
  );
  return { failure, deciding, send, resend, retry, stop, approve };
}

export function failureOf(error: unknown): { code: string; message: string } {
  if (error instanceof ApiError) return { code: error.code, message: error.message };
  return { code: '', message: error instanceof Error ? error.message : errorHelp('').advice };
}
