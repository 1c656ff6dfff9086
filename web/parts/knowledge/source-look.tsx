import { Braces, CodeXml, Cylinder, FolderOpen, GitBranch, type LucideIcon } from 'lucide-react';
import { type SourceType, sourceTypes } from '../../../src/knowledge/document.ts';

export const sourceLooks: Record<SourceType, { label: string; icon: LucideIcon }> = {
  filesystem: { label: 'Folder', icon: FolderOpen },
  git: { label: 'Git repository', icon: GitBranch },
  s3: { label: 'S3 bucket', icon: Cylinder },
  script: { label: 'Script', icon: Braces },
  custom: { label: 'Code', icon: CodeXml },
};

/** Shows a source such as `git:runbooks` as icon and name. */
export function SourceName({ source }: { source: string }) {
  const { type, name } = splitSource(source);
  const Icon = sourceLooks[type].icon;
  return (
    <span className="inline-flex min-w-0 items-center gap-1" title={source}>
      <Icon aria-label={sourceLooks[type].label} className="size-3.5 shrink-0" />
      <span className="truncate">{name}</span>
    </span>
  );
}

function splitSource(source: string): { type: SourceType; name: string } {
  const colon = source.indexOf(':');
  const type = source.slice(0, colon);
  // Unknown types look like scripts.
  const known = sourceTypes.find((each) => each === type) ?? 'script';
  return { type: known, name: source.slice(colon + 1) };
}
