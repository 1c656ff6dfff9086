import { Check, Copy } from 'lucide-react';
import { type Ref, useEffect, useState } from 'react';
import { Button, type ButtonLook } from './button.tsx';
import { IconButton } from './icon-button.tsx';
import { showError, showToast } from './toast.tsx';

export interface CopyButtonProps extends ButtonLook {
  text: string | (() => string);
  /** Names the text, e.g. "Copy prompt". */
  label: string;
  iconOnly?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

export function CopyButton({ text, label, iconOnly = false, ...look }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1_800);
    return () => clearTimeout(timer);
  }, [copied]);
  const onClick = async () => setCopied(await copyText(typeof text === 'string' ? text : text()));
  const icon = copied ? <Check aria-hidden className="text-accent-text" /> : <Copy aria-hidden />;
  if (iconOnly)
    return <IconButton label={copied ? 'Copied' : label} size="sm" icon={icon} onClick={() => void onClick()} />;
  return (
    <Button {...look} icon={icon} onClick={() => void onClick()}>
      {copied ? 'Copied' : label}
    </Button>
  );
}

const clipboardAdvice = 'Allow this site to use the clipboard, or select the text and copy it.';

/** Copies text, also one that is still loading, and, given a message, shows it as a toast. Resolves to whether it worked. */
export async function copyText(text: string | Promise<string>, message?: string): Promise<boolean> {
  try {
    await write(text);
    if (message) showToast(message);
    return true;
  } catch (error) {
    const isLoaded =
      typeof text === 'string' ||
      (await text.then(
        () => true,
        () => false,
      ));
    if (isLoaded) showError('The browser blocked copying', new Error(clipboardAdvice));
    else showError('The text could not be loaded', error);
    return false;
  }
}

/** Safari lets a click copy only if the write begins at once, so a text that is still loading is written as a promise. */
async function write(text: string | Promise<string>): Promise<void> {
  if (typeof text !== 'string' && typeof ClipboardItem !== 'undefined') {
    const blob = text.then((loaded) => new Blob([loaded], { type: 'text/plain' }));
    try {
      return await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })]);
    } catch {
      // Some browsers take no promise.
    }
  }
  await navigator.clipboard.writeText(await text);
}
