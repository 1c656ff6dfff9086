import { isValidElement, memo, type ReactNode, useEffect, useState } from 'react';
import { CopyButton } from './copy-button.tsx';
import type { CodeToken } from './highlight-code.ts';

type Highlight = (code: string, language: string) => readonly CodeToken[];
let highlight: Highlight | undefined;

/** A fenced block of code, with its language, a button to copy it, and highlighting once that is loaded. */
export const CodeBlock = memo(function CodeBlock({ children }: { children: ReactNode }) {
  const { code, language } = codeOf(children);
  const [tokenize, setTokenize] = useState<Highlight | undefined>(() => highlight);
  useEffect(() => {
    if (tokenize || language === '') return;
    let isGone = false;
    // Without it, the code is not highlighted.
    import('./highlight-code.ts').then(
      ({ highlightCode }) => {
        highlight = highlightCode;
        if (!isGone) setTokenize(() => highlightCode);
      },
      () => {},
    );
    return () => {
      isGone = true;
    };
  }, [tokenize, language]);
  return (
    <div data-code className="my-1.5 overflow-hidden rounded-lg border border-line bg-sunken">
      <div className="flex h-8 items-center justify-between border-line border-b pr-1 pl-2.5">
        <span className="truncate font-mono text-2xs text-faint">{language || 'text'}</span>
        <CopyButton iconOnly label="Copy code" text={code} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard can only scroll what it can focus. */}
      <pre tabIndex={0} className="overflow-x-auto p-2.5 text-xs outline-offset-[-2px]">
        <code className="font-mono">
          {tokenize && language !== ''
            ? tokenize(code, language).map(({ kind, text }, index) =>
                kind === null ? (
                  text
                ) : (
                  // biome-ignore lint/suspicious/noArrayIndexKey: code only grows at its end.
                  <span key={index} className={looks[kind]}>
                    {text}
                  </span>
                ),
              )
            : code}
        </code>
      </pre>
    </div>
  );
});

const looks: Record<NonNullable<CodeToken['kind']>, string> = {
  comment: 'text-faint italic',
  string: 'text-accent-text',
  number: 'text-warn',
  keyword: 'text-violet',
  name: 'text-info',
  added: 'text-accent-text',
  removed: 'text-danger',
};

function codeOf(children: ReactNode): { code: string; language: string } {
  if (!isValidElement<{ className?: string; children?: ReactNode }>(children)) return { code: '', language: '' };
  const { className = '', children: text } = children.props;
  const language = /\blanguage-(\S+)/.exec(className)?.[1] ?? '';
  return { code: typeof text === 'string' ? text.replace(/\n$/, '') : '', language };
}
