/** Colours of the brand, for what does not load the website's style sheet; a test compares them. */
export const LIGHT = {
  paper: '#faf7f0',
  sheet: '#fffdf8',
  ink: '#14203c',
  rule: '#ddd5c4',
  accent: '#c4361f',
  onSeal: '#ffffff',
};

export const DARK: typeof LIGHT = {
  paper: '#0e1529',
  sheet: '#141d36',
  ink: '#f3efe4',
  rule: '#2b3655',
  accent: '#ff8a70',
  onSeal: '#1b0f0b',
};
