export function PermissionsScreen() {
  return null;
}
