import { Database, FileText, Terminal } from 'lucide-react';
import type { SettingOrigin } from '../../../src/settings/app-settings.ts';
import { Badge } from '../../ui/badge.tsx';

/** Says where a value comes from. */
export function OriginBadge({ origin, file }: { origin: SettingOrigin; file: string | undefined }) {
  switch (origin.kind) {
    case 'file':
      return (
        <Badge tone="info" icon={<FileText aria-hidden />} title="Set in the config file">
          {origin.line === null ? (file ?? 'Config') : `${file ?? 'Config'} line ${origin.line}`}
        </Badge>
      );
    case 'hub':
      return (
        <Badge tone="violet" icon={<Database aria-hidden />} title="Set in the app and stored in the hub’s database">
          This hub
        </Badge>
      );
    case 'environment':
      return (
        <Badge tone="info" icon={<Terminal aria-hidden />} title="Set in the hub’s environment">
          {origin.name}
        </Badge>
      );
    case 'default':
      return <Badge>Default</Badge>;
  }
}
