import { Link } from '@tanstack/react-router';
import type { SettingKey } from '../../../src/settings/app-settings.ts';
import { useSettings } from '../../api/settings-queries.ts';
import { OriginBadge } from '../../parts/settings/origin-badge.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { setTheme, useTheme } from '../../ui/theme.ts';
import { useTitle } from '../../ui/use-title.ts';
import { AddressDialog, addressKeys } from './address-dialog.tsx';
import { Section } from './section.tsx';
import { Row, Rows, SettingRow, type SettingRowProps } from './setting-row.tsx';

/** Address, rights without a key, theme, and where data is kept. */
export function GeneralSection() {
  useTitle('Settings');
  const { data } = useSettings();
  const theme = useTheme();
  return (
    <>
      <Section title="This browser">
        <Rows label="This browser">
          <Row
            title="Theme"
            description="How the app looks in this browser."
            value={
              <Segmented
                label="Theme"
                value={theme}
                onChange={setTheme}
                options={[
                  { value: 'system', label: 'System' },
                  { value: 'light', label: 'Light' },
                  { value: 'dark', label: 'Dark' },
                ]}
              />
            }
          />
        </Rows>
      </Section>
      <Section title="Address and access">
        <Rows label="Address and access">
          <Row
            title="Open now at"
            description="The address of this page. An address passed to zoo serve overrides the settings below."
            value={window.location.origin}
          />
          <Values
            keys={addressKeys}
            dialog={(onClose) => <AddressDialog settings={data?.settings ?? []} onClose={onClose} />}
          />
          <Values keys={['server.anonymous']} />
        </Rows>
      </Section>
      <Section title="Files">
        <Rows label="Files">
          <Row
            title="Config file"
            description={
              data?.file
                ? 'Values in this file are changed there, and your comments are kept. Everything else is stored in the database.'
                : 'This hub uses no config file, so what you change here is stored in the database. "zoo init" creates one.'
            }
            value={<code className="font-mono text-xs">{data?.file?.path ?? 'None'}</code>}
          />
          {data && (
            <Row
              title="Database"
              description="Holds agents, brain entries, chats, the log and these settings."
              badges={<OriginBadge origin={data.database.origin} file={data.file?.name} />}
              value={<code className="font-mono text-xs">{data.database.place}</code>}
            />
          )}
        </Rows>
      </Section>
    </>
  );
}

export function RetentionSection() {
  useTitle('Retention');
  return (
    <Section title="Retention" description="How long history is kept. Older data is deleted for good, once an hour.">
      <Rows label="Retention">
        <Values keys={['log.keep_days', 'chats.keep_days', 'runs.keep_days']} />
      </Rows>
    </Section>
  );
}

export function TeamSection() {
  useTitle('Team settings');
  return (
    <Section
      title="Team"
      description={
        <>
          When the hub steps in. Which tools each role may call is set under{' '}
          <Link to="/team/permissions" className="text-accent-text underline underline-offset-2 hover:decoration-2">
            Role permissions
          </Link>
          .
        </>
      }
    >
      <Rows label="Team">
        <Values
          keys={[
            'team.stalled_after_secs',
            'team.waiting_after_secs',
            'team.escalation_window_secs',
            'team.reconcile_every_secs',
          ]}
        />
      </Rows>
    </Section>
  );
}

interface ValuesProps extends Pick<SettingRowProps, 'dialog'> {
  keys: readonly SettingKey[];
}

function Values({ keys, dialog }: ValuesProps) {
  const { data } = useSettings();
  return keys.map((key) => {
    const setting = data?.settings.find((each) => each.key === key);
    return setting && <SettingRow key={key} setting={setting} file={data?.file?.name} dialog={dialog} />;
  });
}
