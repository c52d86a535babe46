import type { ButtonHTMLAttributes } from 'react';

type Variant = 'primary' | 'secondary' | 'quiet' | 'danger';

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  variant?: Variant;
  size?: 'small';
}

export function Button({ variant, size, type = 'submit', className, ...rest }: Props) {
  const names = className ? `${buttonClass(variant, size)} ${className}` : buttonClass(variant, size);
  // The space keeps it apart from its neighbour where no style sheet does.
  return (
    <>
      <button type={type} className={names} {...rest} />{' '}
    </>
  );
}

/** For a link that looks like a button. */
export function buttonClass(variant: Variant = 'primary', size?: 'small'): string {
  return `button${variant === 'primary' ? '' : ` ${variant}`}${size ? ` ${size}` : ''}`;
}
