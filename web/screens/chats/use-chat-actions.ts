import { useCallback, useState } from 'react';
import type { AttachmentInput } from '../../../src/chats/attachments/attachment.ts';
import type { ApprovalAnswer } from '../../../src/engine/run-events.ts';
import { ApiError, request } from '../../api/client.ts';
import { showError } from '../../ui/toast.tsx';
import { errorHelp } from './error-help.ts';

export interface ChatActions {
  /** Why the last message was rejected; null after one is accepted. */
  failure: { code: string; message: string } | null;
  /** The id of the call whose decision was sent last. */
  deciding: string | null;
  /** `after` is the message that the user saw last; null if there was none. */
  send: (text: string, after: string | null, attachments: readonly AttachmentInput[]) => Promise<boolean>;
  resend: (messageId: string, text: string, attachments: readonly AttachmentInput[]) => Promise<boolean>;
  retry: () => void;
  /** Switches to the branch with this message. */
  chooseBranch: (messageId: string) => void;
  stop: () => void;
  approve: (toolUseId: string, answer: ApprovalAnswer) => void;
}

/** Sends the user's actions in one chat to the hub. Results arrive as events of the chat. */
export function useChatActions(id: string): ChatActions {
  const [failure, setFailure] = useState<ChatActions['failure']>(null);
  const [deciding, setDeciding] = useState<string | null>(null);
  const attempt = useCallback(async (run: () => Promise<unknown>) => {
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
    (text: string, after: string | null, attachments: readonly AttachmentInput[]) =>
      attempt(() =>
        request('POST /api/chats/{id}/messages', { params: { id }, body: { text, after, ...some(attachments) } }),
      ),
    [attempt, id],
  );
  const resend = useCallback(
    (replaces: string, text: string, attachments: readonly AttachmentInput[]) =>
      attempt(() =>
        request('POST /api/chats/{id}/messages', { params: { id }, body: { text, replaces, ...some(attachments) } }),
      ),
    [attempt, id],
  );
  const retry = useCallback(
    () => void attempt(() => request('POST /api/chats/{id}/retry', { params: { id } })),
    [attempt, id],
  );
  const chooseBranch = useCallback(
    (messageId: string) => {
      request('PUT /api/chats/{id}/branch', { params: { id }, body: { messageId } }).catch((error) =>
        showError('The branch could not be opened', error),
      );
    },
    [id],
  );
  const stop = useCallback(() => {
    request('POST /api/chats/{id}/stop', { params: { id } }).catch((error) =>
      showError('The answer could not be stopped', error),
    );
  }, [id]);
  const approve = useCallback(
    (toolUseId: string, answer: ApprovalAnswer) => {
      setDeciding(toolUseId);
      // On success `deciding` stays set until the next event, so that a call is decided only once.
      request('POST /api/chats/{id}/approvals/{toolUseId}', { params: { id, toolUseId }, body: { answer } }).catch(
        (error) => {
          setDeciding((now) => (now === toolUseId ? null : now));
          showError('Your decision could not be saved', error);
        },
      );
    },
    [id],
  );
  return { failure, deciding, send, resend, retry, chooseBranch, stop, approve };
}

function some(attachments: readonly AttachmentInput[]): { attachments?: AttachmentInput[] } {
  return attachments.length > 0 ? { attachments: [...attachments] } : {};
}

export function failureOf(error: unknown): { code: string; message: string } {
  if (error instanceof ApiError) return { code: error.code, message: error.message };
  return { code: '', message: error instanceof Error ? error.message : errorHelp('').advice };
}
