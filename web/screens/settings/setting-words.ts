import type { SettingKey, SettingValue } from '../../../src/settings/app-settings.ts';
import { formatCount } from '../../ui/format-count.ts';

export interface SettingWords {
  title: string;
  description: string;
  /** Names the field. */
  label: string;
  hint?: string;
  placeholder?: string;
  options?: readonly { value: string; label: string }[];
  show: (value: SettingValue | null) => string;
}

const days = (nothing: string) => (value: SettingValue | null) =>
  value === null || value === 0 ? nothing : formatCount(Number(value), 'day');

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Writes a number of seconds in the largest unit that fits: "30 minutes". */
function secondsText(value: SettingValue | null): string {
  const seconds = Number(value ?? 0);
  const [unit, size] = units.find(([, each]) => seconds >= each && seconds % each === 0) ?? ['second', 1];
  return formatCount(seconds / size, unit);
}

const rights = [
  { value: 'none', label: 'Nothing: every client needs a key' },
  { value: 'use', label: 'Use agents and search' },
  { value: 'work', label: 'Also run agents and call tools' },
];

function textOrNone(value: SettingValue | null): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return 'None';
  return Array.isArray(value) ? value.join(', ') : String(value);
}

const seconds = { label: 'Seconds', show: secondsText };

/** How the screen explains each setting. Role permissions have a screen of their own. */
export const settingWords: Partial<Record<SettingKey, SettingWords>> = {
  'server.bind': {
    title: 'Listens on',
    description: 'The address and port that the hub opens on this machine.',
    label: 'Address and port',
    placeholder: '127.0.0.1:7331',
    show: String,
  },
  'server.public_url': {
    title: 'Public address',
    description:
      'The address that browsers and clients use, if a proxy or a certificate makes the hub reachable from other machines.',
    label: 'Address',
    placeholder: 'https://zoo.example',
    show: textOrNone,
  },
  'server.trusted_proxies': {
    title: 'Trusted proxies',
    description: 'The addresses of the proxies that serve the public address. Only they may connect.',
    label: 'Addresses',
    hint: 'IP addresses or ranges, separated by commas.',
    placeholder: '10.0.0.2, 10.1.0.0/16',
    show: textOrNone,
  },
  'server.cert': {
    title: 'Certificate',
    description: 'The PEM file with the certificate, on the hub’s machine. With it, the hub serves HTTPS.',
    label: 'File',
    placeholder: '/etc/zoo/cert.pem',
    show: textOrNone,
  },
  'server.key': {
    title: 'Private key',
    description: 'The PEM file with the certificate’s private key.',
    label: 'File',
    placeholder: '/etc/zoo/key.pem',
    show: textOrNone,
  },
  'server.anonymous': {
    title: 'Clients without a key',
    description: 'What a program on this machine may do without a key. Over the network, it may do nothing.',
    label: 'They may',
    options: rights,
    show: (value) => rights.find((right) => right.value === value)?.label ?? String(value),
  },
  'log.keep_days': {
    title: 'Decision log',
    description: 'Log entries older than this are deleted.',
    label: 'Days',
    placeholder: '90',
    show: days('Keep everything'),
  },
  'chats.keep_days': {
    title: 'Chats',
    description: 'Chats without a new message for this long are deleted.',
    label: 'Days',
    hint: '0 keeps everything.',
    placeholder: '90',
    show: days('Keep everything'),
  },
  'runs.keep_days': {
    title: 'Runs',
    description: 'Runs older than this are deleted. Unless set, runs are kept as long as the decision log.',
    label: 'Days',
    hint: '0 keeps everything.',
    placeholder: '90',
    show: (value) => (value === null ? 'As long as the log' : days('Keep everything')(value)),
  },
  'team.stalled_after_secs': {
    title: 'A member is stalled after',
    description: 'A member with a task in progress that makes no call for this long loses the task.',
    ...seconds,
  },
  'team.waiting_after_secs': {
    title: 'A waiting task is reported after',
    description: 'A task that is pending, in review or blocked for this long is mailed to the supervisor.',
    ...seconds,
  },
  'team.escalation_window_secs': {
    title: 'Repeated failures are combined for',
    description: 'Within this time, the same failure is counted in the first mail instead of being mailed again.',
    ...seconds,
  },
  'team.reconcile_every_secs': {
    title: 'The team is checked every',
    description:
      'How often the hub looks for stalled members and waiting tasks and, after a change to retention, for history to delete.',
    ...seconds,
  },
};

/** Returns the section of the settings screen that has it. */
export function sectionOf(key: string): 'general' | 'retention' | 'team' {
  if (key.startsWith('team.')) return 'team';
  return key.endsWith('.keep_days') ? 'retention' : 'general';
}

export function kindOf(key: SettingKey): 'number' | 'text' {
  return /_days$|_secs$/.test(key) ? 'number' : 'text';
}

export function problemOf(key: SettingKey, text: string): string | undefined {
  if (text.trim() === '') return 'Enter a value, or use the default.';
  if (kindOf(key) === 'number' && !/^\d+(?:\.\d+)?$/.test(text.trim())) return 'Enter a number.';
  return undefined;
}

export function toValue(key: SettingKey, text: string): string | number | null {
  return kindOf(key) === 'number' ? Number(text.trim()) : text.trim();
}
