// A host without text codecs (jest-environment-jsdom and small engines are such).
delete globalThis.TextEncoder;
delete globalThis.TextDecoder;
