interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * The size that a PNG or a JPEG says it has; undefined where it is neither. A small file can claim to be so large that
 * decoding it would take all memory, so that this is looked at before.
 */
export function sizeOfPicture(bytes: Uint8Array): Size | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length >= 24 && view.getUint32(0) === 0x89504e47)
    return { width: view.getUint32(16), height: view.getUint32(20) };
  return bytes.length >= 4 && view.getUint16(0) === 0xffd8 ? sizeOfJpeg(view) : undefined;
}

/** Goes from segment to segment until the one that begins a frame. */
function sizeOfJpeg(view: DataView): Size | undefined {
  for (let at = 2; at + 9 <= view.byteLength;) {
    const marker = view.getUint8(at + 1);
    if (view.getUint8(at) !== 0xff) return undefined;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    // Any number of fill bytes may stand before a marker.
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return undefined;
}
