export const formatTime = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** The caller chose the text, so it must not add lines to the message. */
export const oneLine = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 200);

export const paragraphs = (...texts: string[]): string => `${texts.join('\n\n')}\n`;
