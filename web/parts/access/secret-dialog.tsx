import { KeyRound } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog, type DialogProps } from '../../ui/dialog.tsx';
import { SecretLine } from '../../ui/secret-line.tsx';

export interface SecretDialogProps extends Pick<DialogProps, 'title' | 'size' | 'onClose'> {
  what: 'key' | 'token';
  secret: string;
  /** How to use it. */
  children: ReactNode;
}

/** Shows a secret once. The hub stores only its hash. The focus starts on Copy, so that pressing Enter at once loses nothing. */
export function SecretDialog({ what, secret, children, onClose, ...dialog }: SecretDialogProps) {
  const copy = useRef<HTMLButtonElement>(null);
  return (
    <Dialog
      {...dialog}
      open
      onClose={onClose}
      staysOnClickOutside
      initialFocus={copy}
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <Banner tone="warn" icon={<KeyRound aria-hidden />}>
          Copy the {what} now. It is shown only once; the hub stores only its hash.
        </Banner>
        <SecretLine label={what === 'key' ? 'Key' : 'Token'} text={secret} copyRef={copy} />
        {children}
      </div>
    </Dialog>
  );
}
