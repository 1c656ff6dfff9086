import { useId, useState } from 'react';
import type { Chat } from '../../../src/chats/chat.ts';
import { useUpdateChat } from '../../api/chat-queries.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { errorText } from '../../ui/error-state.tsx';
import { TextField } from '../../ui/input.tsx';

const longestTitle = 200;

export function RenameDialog({ chat, onClose }: { chat: Pick<Chat, 'id' | 'title'>; onClose: () => void }) {
  const id = useId();
  const update = useUpdateChat(chat.id);
  const [title, setTitle] = useState(chat.title);
  const words = title.trim();
  return (
    <Dialog
      open
      size="sm"
      title="Rename the chat"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={id} variant="primary" busy={update.isPending} disabled={words === ''}>
            Rename
          </Button>
        </>
      }
    >
      <form
        id={id}
        onSubmit={(event) => {
          event.preventDefault();
          if (words !== '') update.mutate({ title: words }, { onSuccess: onClose });
        }}
      >
        <TextField
          label="Title"
          value={title}
          maxLength={longestTitle}
          error={update.error ? errorText(update.error) : null}
          onFocus={(event) => event.currentTarget.select()}
          onChange={(event) => setTitle(event.target.value)}
        />
      </form>
    </Dialog>
  );
}
