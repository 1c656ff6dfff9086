export function EpicsScreen() {
  return null;
}
