export interface ServerTables {
  vault_keys: VaultKeyRow;
  vault_secrets: VaultSecretRow;
  servers: ServerRow;
  server_lists: ServerListRow;
  tool_pins: ToolPinRow;
  held_tools: HeldToolRow;
  tool_settings: ToolSettingRow;
}

/** One row, by which the key that sealed everything else is known again; it tells nothing about the key. */
export interface VaultKeyRow {
  id: 'seal';
  /** Where the key came from, for what people are told when it is missing. */
  origin: 'secret' | 'file';
  check_value: string;
}

interface VaultSecretRow {
  name: string;
  updated_at: number;
  sealed: string;
}

export interface ServerRow {
  name: string;
  /** The value of the `servers` counter at its last save, so that no number comes twice, not even for a name that was free meanwhile. */
  revision: number;
  updated_at: number;
  /** Sealed JSON. */
  definition: string;
}

interface ServerListRow {
  server: string;
  listed_at: number;
}

/** `tool` is as `toToolKey` writes it, and is there once for each server. */
interface ToolPinRow {
  server: string;
  tool: string;
  hash: string;
  accepted_at: number;
  definition: string;
}

interface HeldToolRow {
  server: string;
  tool: string;
  hash: string;
  seen_at: number;
  definition: string;
}

interface ToolSettingRow {
  server: string;
  tool: string;
  data: string;
}
