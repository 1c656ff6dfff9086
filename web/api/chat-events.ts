import type { QueryClient } from '@tanstack/react-query';
import { chatKeys } from './chat-queries.ts';

interface ChatsListener {
  hear: () => void;
  close: () => void;
}

/** Chats that answer change all the time: what is told of them is fetched again at most this often. */
const everyMs = 500;

/** Fetches again what lists and tabs show of chats: the first news at once, a flood in turns. */
export function chatsListener(client: QueryClient): ChatsListener {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isWaiting = false;
  const refresh = () => {
    void client.invalidateQueries({ queryKey: chatKeys.lists });
    // Not the context of each: it is made anew at some cost, and only by a switch another one.
    void client.invalidateQueries({ queryKey: chatKeys.ones, predicate: ({ queryKey }) => queryKey.length === 3 });
    timer = setTimeout(() => {
      timer = undefined;
      if (!isWaiting) return;
      isWaiting = false;
      refresh();
    }, everyMs);
  };
  return {
    hear: () => {
      if (timer === undefined) refresh();
      else isWaiting = true;
    },
    close: () => clearTimeout(timer),
  };
}
