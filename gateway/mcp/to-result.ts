import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Answer } from './answer.ts';

export function toResult({ text, isError = false, task }: Answer): CallToolResult {
  if (task !== undefined) return { ...task, resultType: 'task', content: [] };
  return { content: text.map((each) => ({ type: 'text', text: each })), ...(isError && { isError }) };
}
