import { Download, FileText, Link2, Volume2 } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { sizeName } from '../../../src/base/size-name.ts';
import type { ContentBlock, ResourceContents } from '../../../src/tools/content.ts';
import { classes } from '../../ui/classes.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { base64Bytes, jsonIn, safeLink } from './read-content.ts';

/** One content block of a tool's result. Text from tools is untrusted: it is shown as plain text. */
export function ContentView({ block, label }: { block: ContentBlock; label: string }) {
  switch (block.type) {
    case 'text':
      return <TextContent text={block.text} label={label} />;
    case 'image':
      return <ImageContent data={block.data} mimeType={block.mimeType} label={label} />;
    case 'audio':
      return <AudioContent data={block.data} mimeType={block.mimeType} label={label} />;
    case 'resource':
      return <ResourceContent resource={block.resource} label={label} />;
    case 'resource_link':
      return (
        <Framed icon={<Link2 aria-hidden />} title={block.title ?? block.name} note={block.mimeType}>
          {block.description && <p className="mb-1 whitespace-pre-wrap text-muted text-sm">{block.description}</p>}
          <Address uri={block.uri} />
        </Framed>
      );
    default:
      // A block type of a later protocol.
      return <JsonView value={block} label={label} />;
  }
}

const maxTextLength = 20_000;

/** Shows JSON as a tree and everything else as plain text. */
export function TextContent({
  text,
  label,
  tone = 'plain',
}: {
  text: string;
  label: string;
  tone?: 'plain' | 'error';
}) {
  const json = useMemo(() => jsonIn(text), [text]);
  const [isExpanded, setIsExpanded] = useState(text.length <= maxTextLength);
  if (json !== undefined) return <JsonView value={json} label={label} />;
  return (
    <section aria-label={label} className="relative">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
        tabIndex={0}
        className={classes(
          'max-h-112 overflow-auto whitespace-pre-wrap rounded-lg border p-2.5 pr-10 font-mono text-xs leading-5 [overflow-wrap:anywhere]',
          tone === 'error' ? 'border-danger/40 bg-danger-soft' : 'border-line bg-sunken/50',
        )}
      >
        {text === '' ? (
          <span className="text-faint">(empty text)</span>
        ) : isExpanded ? (
          text
        ) : (
          text.slice(0, maxTextLength)
        )}
        {!isExpanded && (
          <button
            type="button"
            onClick={() => setIsExpanded(true)}
            className="ml-1 rounded px-1 font-sans text-accent-text hover:underline"
          >
            Show all {text.length.toLocaleString('en')} characters
          </button>
        )}
      </pre>
      {text !== '' && (
        <span className="absolute top-1 right-1.5">
          <CopyButton iconOnly label="Copy text" text={text} />
        </span>
      )}
    </section>
  );
}

function ImageContent({ data, mimeType, label }: { data: string; mimeType: string; label: string }) {
  const file = useBlob(data, mimeType);
  const [size, setSize] = useState<string | null>(null);
  const [isBroken, setIsBroken] = useState(false);
  if (!mimeType.startsWith('image/') || file === null || isBroken)
    return <FileContent file={file} mimeType={mimeType} note="Image cannot be shown" />;
  return (
    <figure className="overflow-hidden rounded-lg border border-line bg-sunken/50">
      <div className="flex max-h-112 items-center justify-center overflow-auto bg-[repeating-conic-gradient(var(--hover)_0_25%,transparent_0_50%)] bg-[length:16px_16px] p-3">
        <img
          src={file.url}
          alt={label}
          className="min-h-8 max-w-full object-contain"
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => setSize(`${naturalWidth} × ${naturalHeight}`)}
          onError={() => setIsBroken(true)}
        />
      </div>
      <figcaption className="flex items-center gap-2 border-line border-t px-2.5 py-1 text-faint text-xs">
        <span className="min-w-0 flex-1 truncate">
          {[mimeType, size, sizeName(file.bytes)].filter(Boolean).join(' · ')}
        </span>
        <DownloadLink url={file.url} mimeType={mimeType} />
      </figcaption>
    </figure>
  );
}

function AudioContent({ data, mimeType, label }: { data: string; mimeType: string; label: string }) {
  const file = useBlob(data, mimeType);
  if (!mimeType.startsWith('audio/') || file === null)
    return <FileContent file={file} mimeType={mimeType} note="Audio cannot be played" />;
  return (
    <Framed icon={<Volume2 aria-hidden />} title="Audio" note={`${mimeType} · ${sizeName(file.bytes)}`}>
      {/* biome-ignore lint/a11y/useMediaCaption: tool results have no captions. */}
      <audio controls src={file.url} aria-label={label} className="h-10 w-full" />
    </Framed>
  );
}

function ResourceContent({ resource, label }: { resource: ResourceContents; label: string }) {
  return (
    <Framed icon={<FileText aria-hidden />} title="Resource" note={resource.mimeType}>
      <div className="mb-2">
        <Address uri={resource.uri} />
      </div>
      {'text' in resource ? (
        <TextContent text={resource.text} label={label} />
      ) : (
        <BlobResource data={resource.blob} mimeType={resource.mimeType ?? 'application/octet-stream'} label={label} />
      )}
    </Framed>
  );
}

function BlobResource({ data, mimeType, label }: { data: string; mimeType: string; label: string }) {
  const file = useBlob(data, mimeType);
  if (mimeType.startsWith('image/')) return <ImageContent data={data} mimeType={mimeType} label={label} />;
  if (mimeType.startsWith('audio/')) return <AudioContent data={data} mimeType={mimeType} label={label} />;
  return <FileContent file={file} mimeType={mimeType} note="File" />;
}

function FileContent({ file, mimeType, note }: { file: BlobFile | null; mimeType: string; note: string }) {
  return (
    <p className="flex items-center gap-2 rounded-lg border border-line bg-sunken/50 px-2.5 py-1.5 text-muted text-xs">
      <span className="min-w-0 flex-1 truncate">
        {file === null ? `${mimeType}: invalid base64` : `${note} · ${mimeType} · ${sizeName(file.bytes)}`}
      </span>
      {file && <DownloadLink url={file.url} mimeType={mimeType} />}
    </p>
  );
}

function DownloadLink({ url, mimeType }: { url: string; mimeType: string }) {
  const extension = /^[a-z]+\/([a-z0-9]+)/i.exec(mimeType)?.[1] ?? 'bin';
  return (
    <a
      href={url}
      download={`result.${extension}`}
      className="inline-flex h-6 items-center gap-1 rounded-md px-1.5 text-muted hover:bg-hover hover:text-text max-md:h-8"
    >
      <Download aria-hidden className="size-3.5" />
      Download
    </a>
  );
}

/** Links only to web addresses; shows others as text to copy. */
function Address({ uri }: { uri: string }) {
  const link = safeLink(uri);
  return (
    <span className="flex min-w-0 items-center gap-1">
      {link ? (
        <a
          href={link}
          target="_blank"
          rel="noreferrer noopener"
          className="min-w-0 break-all font-mono text-accent-text text-xs hover:underline"
        >
          {uri}
        </a>
      ) : (
        <code className="min-w-0 break-all font-mono text-xs">{uri}</code>
      )}
      <CopyButton iconOnly label="Copy address" text={uri} />
    </span>
  );
}

interface FramedProps {
  icon: ReactNode;
  title: string;
  note: string | undefined;
  children: ReactNode;
}

function Framed({ icon, title, note, children }: FramedProps) {
  return (
    <div className="rounded-lg border border-line bg-sunken/50 p-2.5">
      <p className="mb-1.5 flex items-center gap-1.5 text-xs [&>svg]:size-3.5 [&>svg]:text-faint">
        {icon}
        <span className="min-w-0 truncate font-medium">{title}</span>
        {note && <span className="ml-auto max-w-1/2 truncate text-faint">{note}</span>}
      </p>
      {children}
    </div>
  );
}

interface BlobFile {
  url: string;
  bytes: number;
}

/** Returns an object URL for the bytes while they are shown, or null if they are not base64. */
function useBlob(data: string, mimeType: string): BlobFile | null {
  const bytes = useMemo(() => base64Bytes(data), [data]);
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!bytes) return;
    const created = URL.createObjectURL(new Blob([bytes], { type: mimeType }));
    setUrl(created);
    return () => URL.revokeObjectURL(created);
  }, [bytes, mimeType]);
  return bytes && url ? { url, bytes: bytes.length } : bytes ? { url: '', bytes: bytes.length } : null;
}
