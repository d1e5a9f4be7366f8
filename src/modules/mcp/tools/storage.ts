import type { ToolFile } from './tool.js';

export const STORAGE_TOOLS: ToolFile = {
  group: 'storage',
  tools: [
    {
      name: 'list_buckets',
      title: 'List buckets',
      description: 'Lists the buckets of the organization, newest first.',
      method: 'GET',
      path: '/api/v1/storage/buckets',
      effect: 'reads',
      goesOnWith: 'Call again with a smaller `limit`, then with `cursor`.',
    },
    {
      name: 'list_objects',
      title: 'List objects',
      description:
        'Lists the objects of a bucket in the order of their keys. `delimiter: "/"` lists one level, like a directory.',
      method: 'GET',
      path: '/api/v1/storage/buckets/{bucket_id}/objects',
      effect: 'reads',
      goesOnWith: 'Call again with a smaller `limit`, then with `cursor`.',
    },
    {
      name: 'read_object',
      title: 'Read an object',
      description: 'Returns an object that is text. Of a large one, `from_byte` says where to begin.',
      method: 'GET',
      path: '/api/v1/storage/buckets/{bucket_id}/objects/{key}',
      effect: 'reads',
      answers: 'text',
      beginsAt: 'from_byte',
      ownArguments: {
        from_byte: { type: 'integer', minimum: 0, default: 0, description: 'Where to begin, counted from 0.' },
      },
      quotes: 'the object',
    },
    {
      name: 'write_object',
      title: 'Write an object',
      description: 'Stores text as an object, in place of the one that has the key.',
      method: 'PUT',
      path: '/api/v1/storage/buckets/{bucket_id}/objects/{key}',
      effect: 'destroys',
      isRepeatable: true,
      sendsText: { text: 'content', mediaType: 'content_type' },
      ownArguments: {
        content: { type: 'string', description: 'The text, as it is stored.' },
        content_type: {
          type: 'string',
          maxLength: 200,
          default: 'text/plain; charset=utf-8',
          description: 'The media type that readers of the object get.',
        },
      },
    },
    {
      name: 'sign_url',
      title: 'Sign a URL',
      description:
        'Returns an address for one object that works without a key until it expires. ' +
        'Everyone who has it can read the object, or write it with `method: "PUT"`. ' +
        'PUT and DELETE need storage:write.',
      method: 'POST',
      path: '/api/v1/storage/buckets/{bucket_id}/sign',
      effect: 'writes',
      sendsDataOut: true,
    },
  ],
};
