export const image = { icon: 'image' } as const;
