import { memo, type ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { CodeBlock } from './code-block.tsx';

const plugins = [remarkGfm];

/** Images are not loaded: the text is untrusted. */
const note: Components = {
  a: ({ href, children }) => <OutsideLink href={href}>{children}</OutsideLink>,
  img: ({ alt }) => <span className="text-faint">[{alt || 'image'}]</span>,
  p: ({ children }) => <p className="my-1.5 first:mt-0 last:mb-0">{children}</p>,
  h1: ({ children }) => <h4 className="mt-2 mb-1 font-semibold">{children}</h4>,
  h2: ({ children }) => <h4 className="mt-2 mb-1 font-semibold">{children}</h4>,
  h3: ({ children }) => <h5 className="mt-2 mb-1 font-semibold">{children}</h5>,
  ul: ({ children }) => <ul className="my-1.5 list-disc pl-5">{children}</ul>,
  ol: ({ children, start }) => (
    <ol start={start} className="my-1.5 list-decimal pl-5">
      {children}
    </ol>
  ),
  code: ({ children }) => <code className="rounded bg-hover px-1 py-0.5 font-mono text-xs">{children}</code>,
  pre: ({ children }) => (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard can only scroll what it can focus.
      tabIndex={0}
      className="my-1.5 overflow-x-auto rounded-lg bg-sunken p-2.5 text-xs [&_code]:bg-transparent [&_code]:p-0"
    >
      {children}
    </pre>
  ),
  blockquote: ({ children }) => (
    <blockquote className="my-1.5 border-line-strong border-l-2 pl-3 text-muted">{children}</blockquote>
  ),
  table: ({ children }) => (
    <div className="my-1.5 overflow-x-auto">
      <table className="text-xs [&_td]:border [&_td]:border-line [&_td]:px-2 [&_td]:py-1 [&_th]:border [&_th]:border-line [&_th]:px-2 [&_th]:py-1 [&_th]:text-left">
        {children}
      </table>
    </div>
  ),
};

/** A whole document; its headings start one level below the screen's title. */
const page: Components = {
  ...note,
  // Relative paths do not resolve here.
  a: ({ href, children }) =>
    href && /^(https?:|mailto:)/i.test(href) ? (
      <OutsideLink href={href}>{children}</OutsideLink>
    ) : (
      <span title={href} className="underline decoration-dotted underline-offset-2">
        {children}
      </span>
    ),
  h1: ({ children }) => <h2 className="mt-4 mb-2 font-semibold text-xl leading-7 first:mt-0">{children}</h2>,
  h2: ({ children }) => <h3 className="mt-4 mb-1.5 font-semibold text-lg leading-6 first:mt-0">{children}</h3>,
  h3: ({ children }) => <h4 className="mt-3 mb-1 font-semibold text-base first:mt-0">{children}</h4>,
  h4: ({ children }) => <h5 className="mt-3 mb-1 font-semibold first:mt-0">{children}</h5>,
  p: ({ children }) => <p className="my-2 leading-6 first:mt-0 last:mb-0">{children}</p>,
};

/** For a chat message: highlighted, copyable code, and headings one level below the message's own, because its parts render separately. */
const answer: Components = {
  ...page,
  h1: ({ children }) => <h3 className="mt-4 mb-2 font-semibold text-xl leading-7 first:mt-0">{children}</h3>,
  h3: ({ children }) => <h3 className="mt-3 mb-1 font-semibold text-base first:mt-0">{children}</h3>,
  h4: ({ children }) => <h3 className="mt-3 mb-1 font-semibold first:mt-0">{children}</h3>,
  pre: ({ children }) => <CodeBlock>{children}</CodeBlock>,
};

const variants = { note, page, answer };

function OutsideLink({ href, children }: { href: string | undefined; children: ReactNode }) {
  return (
    <a href={href} target="_blank" rel="noreferrer noopener" className="text-accent-text underline underline-offset-2">
      {children}
    </a>
  );
}

interface MarkdownProps {
  text: string;
  /** `note` for text inside a card, `page` for a document, `answer` for a chat message. */
  look?: keyof typeof variants;
}

export const Markdown = memo(function Markdown({ text, look = 'note' }: MarkdownProps) {
  return (
    <div className="break-words">
      <ReactMarkdown remarkPlugins={plugins} components={variants[look]}>
        {text}
      </ReactMarkdown>
    </div>
  );
});
