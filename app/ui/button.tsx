import { type ButtonHTMLAttributes, useContext, useRef } from 'react';
import { FormContext } from './form';

type Variant = 'primary' | 'secondary' | 'quiet' | 'danger';

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  variant?: Variant;
  size?: 'small';
}

export function Button({ variant, size, type = 'submit', className, ...rest }: Props) {
  const names = className ? `${buttonClass(variant, size)} ${className}` : buttonClass(variant, size);
  const button = useRef<HTMLButtonElement>(null);
  const { isSlow, pressed } = useContext(FormContext);
  // Not `disabled`, which would lose focus.
  const isInactive = isSlow && type === 'submit';
  // The space separates it from its neighbour if there is no style sheet.
  return (
    <>
      <button
        ref={button}
        type={type}
        className={names}
        aria-disabled={isInactive || undefined}
        aria-busy={(isInactive && pressed === button.current) || undefined}
        {...rest}
      />{' '}
    </>
  );
}

/** Class names for a link that looks like a button. */
export function buttonClass(variant: Variant = 'primary', size?: 'small'): string {
  return `button${variant === 'primary' ? '' : ` ${variant}`}${size ? ` ${size}` : ''}`;
}
