import { z } from 'zod';
import { defineContract } from '../base/contract.ts';
import {
  AppliedSettings,
  FolderBody,
  FolderList,
  SettingsBody,
  SettingsChange,
  SettingsPreview,
  TestResult,
} from './app-settings.ts';

const hash = z.string().max(100).optional().describe('Of the config file that the change was made for.');
const folderQuery = z.object({ folder: z.string().min(1).max(4_096) });

export const settingsContract = defineContract('Settings', {
  'GET /api/settings': {
    right: 'administer',
    summary: 'Read the settings',
    answer: 'The settings, and where each one comes from. Secrets are never returned.',
    output: SettingsBody,
    errors: [503],
  },
  'POST /api/settings/preview': {
    right: 'administer',
    isAct: false,
    summary: 'Preview a change to the settings',
    body: z.strictObject({ change: SettingsChange }),
    example: { change: { kind: 'values', values: [{ key: 'log.keep_days', value: 90 }] } },
    answer: 'Where the change would be stored, and the lines of the file that would change.',
    output: SettingsPreview,
    errors: [400, 404, 409],
  },
  'POST /api/settings': {
    right: 'administer',
    summary: 'Change the settings',
    description:
      'A value that is in the config file is changed there, with all comments kept. Everything else is stored in the database.',
    body: z.strictObject({ change: SettingsChange, hash }),
    example: { change: { kind: 'values', values: [{ key: 'log.keep_days', value: 90 }] } },
    answer: 'The change is stored.',
    output: AppliedSettings,
    errors: [400, 404, 409, 503],
  },
  'POST /api/settings/webhooks/{name}/test': {
    right: 'administer',
    hasOwnLimits: true,
    summary: 'Send a test event to a webhook',
    answer: 'Whether the receiver accepted the event.',
    output: TestResult,
    errors: [404],
  },
  'POST /api/settings/peers/{name}/test': {
    right: 'administer',
    hasOwnLimits: true,
    summary: 'Test a peer by reading its card',
    answer: 'Whether the peer replied.',
    output: TestResult,
    errors: [404],
  },
  'GET /api/folders': {
    right: 'administer',
    summary: "List folders on the hub's machine",
    description:
      'For picking a folder. Lists names only, in the home folder of the user who runs the hub and in trusted folders, without hidden folders and files.',
    query: z.object({ path: folderQuery.shape.folder.optional().describe('Default: the home folder.') }),
    answer: 'The folders in this folder.',
    output: FolderList,
    errors: [400, 404],
  },
  'GET /api/trust': {
    right: 'administer',
    summary: 'List trusted folders',
    answer: 'The folders, and what each one may do.',
    output: z.object({ folders: z.array(FolderBody) }),
  },
  'GET /api/trust/folder': {
    right: 'administer',
    summary: 'Show what a folder could do if you trusted it',
    query: folderQuery,
    answer: 'The parts of its config that need trust.',
    output: FolderBody,
    errors: [400, 404],
  },
  'POST /api/trust': {
    right: 'administer',
    summary: 'Trust a folder',
    body: z.strictObject({ folder: folderQuery.shape.folder, seen: z.string().max(100) }),
    example: { folder: '/home/you/project', seen: 'as returned by GET /api/trust/folder' },
    answer: 'The folder.',
    output: FolderBody,
    errors: [400, 404, 409],
  },
  'DELETE /api/trust': {
    right: 'administer',
    summary: 'Stop trusting a folder',
    query: folderQuery,
    status: 204,
    answer: 'The folder is no longer trusted.',
    errors: [404],
  },
});
