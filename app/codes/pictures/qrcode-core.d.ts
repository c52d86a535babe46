// The published types cover the whole package only; the browser loads this inner module alone.
declare module 'qrcode/lib/core/qrcode.js' {
  export function create(
    data: string,
    options: { errorCorrectionLevel: 'L' | 'M' | 'Q' | 'H'; version?: number; maskPattern?: number },
  ): { modules: { size: number; data: Uint8Array; reservedBit: Uint8Array }; version: number };
}
