/** Variables that a server needs to find programs and the user's files. No others are passed on: they may contain secrets. */
const inherited =
  process.platform === 'win32'
    ? [
        'APPDATA',
        'COMSPEC',
        'HOMEDRIVE',
        'HOMEPATH',
        'LOCALAPPDATA',
        'PATH',
        'PATHEXT',
        'PROCESSOR_ARCHITECTURE',
        'PROGRAMDATA',
        'PROGRAMFILES',
        'PROGRAMFILES(X86)',
        'SYSTEMDRIVE',
        'SYSTEMROOT',
        'TEMP',
        'TMP',
        'USERNAME',
        'USERPROFILE',
        'WINDIR',
      ]
    : ['HOME', 'LANG', 'LC_ALL', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER', 'XDG_CACHE_HOME'];

/** Returns the environment for a server's process: a few of our variables, then those of its definition. */
export function serverEnvironment(hubEnv: NodeJS.ProcessEnv, env: Record<string, string>): Record<string, string> {
  const result: Record<string, string> = {};
  for (const name of inherited) {
    const value = hubEnv[name];
    // Bash exports functions as variables that start like this; another shell would run them.
    if (value !== undefined && !value.startsWith('()')) result[name] = value;
  }
  return { ...result, ...env };
}
