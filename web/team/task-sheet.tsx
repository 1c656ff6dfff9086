export function TaskSheet() {
  return null;
}
