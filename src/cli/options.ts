import { Option } from 'commander';

export function configOption(): Option {
  return new Option('-c, --config <file>', 'config file (default: zoo.toml, ctx.toml, …)');
}

export function jsonOption(): Option {
  return new Option('--json', 'print JSON');
}
