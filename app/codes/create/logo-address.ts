/** One of an account's own logos. */
export interface OwnLogo {
  id: string;
  /** Of its file. */
  name: string;
}

/** Whether a logo that a form names is a preset, by its file; otherwise it is one of the account's own, by its id. */
export function isPreset(name: string): boolean {
  return name.endsWith('.svg');
}

/** Path of the picture of a logo that a form names. */
export function logoAddress(name: string): string {
  return isPreset(name) ? `/presets/${name}` : `/user/logos/${name}`;
}
