import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InitProcess } from './init-process.ts';
import { nativeBuilds } from './native-builds.ts';

const asRoot = process.geteuid?.() === 0;
const asAgent = ['setpriv', '--reuid', '1000', '--regid', '1000', '--clear-groups'];
/** As in an agent's container: the first process is one of the same user, and not the init. */
const besideFirst = ['unshare', '--pid', '--fork', '--kill-child', ...asAgent, 'sh', '-c', '"$0"; exit $?'];

/** Prints the error of each way to make an AF_VSOCK socket, and shows that other sockets work. */
const vsockProbe = `
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
static sigjmp_buf before;
static void trapped(int number) { siglongjmp(before, number); }
static const char *told(long result) { return result < 0 ? strerror(errno) : "made"; }
int main(void) {
    printf("native: %s\\n", told(socket(40, SOCK_STREAM, 0)));
    printf("high bits: %s\\n", told(syscall(SYS_socket, 0x100000028L, SOCK_STREAM, 0)));
    printf("unix: %s\\n", told(socket(AF_UNIX, SOCK_STREAM, 0)));
    printf("io_uring: %s\\n", told(syscall(425, 8, NULL)));
    unsigned long context = 0;
    printf("io_setup: %s\\n", told(syscall(SYS_io_setup, 8, &context)));
#ifdef __x86_64__
    printf("x32: %s\\n", told(syscall(0x40000000 | SYS_socket, 40, SOCK_STREAM, 0)));
    signal(SIGSEGV, trapped);
    if (sigsetjmp(before, 1) != 0) {
        puts("i386: no such door\\nsocketcall: no such door");
        return 0;
    }
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(359), "b"(40), "c"(1), "d"(0) : "memory");
    printf("i386: %s\\n", result < 0 ? strerror((int)-result) : "made");
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(102), "b"(1), "c"(0) : "memory");
    printf("socketcall: %s\\n", result < 0 ? strerror((int)-result) : "made");
#endif
}`;

/** Tries to trace its parent. */
const parentTracer = `
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>
int main(void) {
    puts(ptrace(PTRACE_SEIZE, getppid(), NULL, NULL) < 0 ? strerror(errno) : "traced");
}`;

/** Prints the error of each way to slow or limit its parent, the first process and itself. */
const paceProbe = `
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
static sigjmp_buf before;
static void trapped(int number) { siglongjmp(before, number); }
static void tell(const char *whom, const char *what, long result) {
    printf("%s %s: %s\\n", whom, what, result < 0 ? strerror(errno) : "done");
}
static void each(const char *whom, long pid) {
    cpu_set_t set;
    struct sched_param none = {0};
    struct rlimit limit;
    int nice = getpriority(PRIO_PROCESS, 0);
    unsigned char attributes[48] = {48};
    memcpy(attributes + 16, &nice, sizeof nice);
    syscall(SYS_sched_getaffinity, 0, sizeof set, &set);
    getrlimit(RLIMIT_CPU, &limit);
    tell(whom, "scheduler", syscall(SYS_sched_setscheduler, pid, SCHED_OTHER, &none));
    tell(whom, "param", syscall(SYS_sched_setparam, pid, &none));
    tell(whom, "attributes", syscall(SYS_sched_setattr, pid, attributes, 0));
    tell(whom, "affinity", syscall(SYS_sched_setaffinity, pid, sizeof set, &set));
    tell(whom, "limit", syscall(SYS_prlimit64, pid, RLIMIT_CPU, &limit, NULL));
    tell(whom, "priority", syscall(SYS_setpriority, PRIO_PROCESS, pid, nice));
    tell(whom, "disk", syscall(SYS_ioprio_set, 1, pid, 0));
}
int main(void) {
    each("parent", getppid());
    each("high bits", 0x100000000L | getppid());
    each("first", 1);
    setpgid(0, getpgid(getppid()));
    tell("group", "priority", syscall(SYS_setpriority, PRIO_PGRP, 0, 0));
    tell("group", "disk", syscall(SYS_ioprio_set, 2, 0, 0));
    each("self", getpid());
    each("zero", 0);
    tell("user", "priority", syscall(SYS_setpriority, PRIO_USER, 0, 0));
    tell("user", "disk", syscall(SYS_ioprio_set, 3, getuid(), 0));
#ifdef __x86_64__
    // A kernel without 32-bit calls ends who tries one. No pointer fits: what gets as far as that has another error.
    static const int calls[] = {154, 156, 241, 351, 340, 97, 289};
    signal(SIGSEGV, trapped);
    for (int n = 0; sigsetjmp(before, 1) == 0 && n < 7; n++) {
        long result, parent = getppid();
        __asm__ volatile("int $0x80" : "=a"(result)
            : "a"(calls[n]), "b"(n < 5 ? parent : n - 5), "c"(n < 5 ? 0 : parent), "d"(0), "S"(0) : "memory");
        errno = (int)-result;
        tell("i386", "call", result);
    }
#endif
}`;

let directory: string;
let pace: string;
let probe: string;
let tracer: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'clawrden-isolation-'));
  chmodSync(directory, 0o755);
  probe = compile('probe', vsockProbe);
  pace = compile('pace', paceProbe);
  tracer = compile('tracer', parentTracer);
});
afterAll(() => rmSync(directory, { recursive: true }));

function compile(name: string, source: string): string {
  const program = join(directory, name);
  writeFileSync(`${program}.c`, source);
  execFileSync('gcc', ['-o', program, `${program}.c`]);
  return program;
}

describe.each(nativeBuilds)('what a command cannot reach ($name)', ({ init }) => {
  test.runIf(asRoot)('the frames of its init, as the same user', async () => {
    const attempts = [
      'echo forged > /proc/$PPID/fd/1',
      'cat /proc/$PPID/environ',
      'cat /proc/$PPID/mem',
      'ls /proc/$PPID/fd/',
      'readlink /proc/$PPID/exe',
    ];
    const script = `${attempts.map((attempt) => `(${attempt}) 2>/dev/null && echo reached`).join(';')}; id -u; exit 3`;
    await using command = InitProcess.start(init, { argv: ['bash', '-c', script] }, asAgent);
    expect(await command.end()).toMatchObject({ stdout: '1000\n', code: 3 });
  });

  test.runIf(asRoot)('nor can it be traced', async () => {
    await using command = InitProcess.start(init, { argv: [tracer] }, asAgent);
    expect((await command.end()).stdout).toBe('Operation not permitted\n');
  });

  test('an unprivileged tool can still be looked at by its own kind', async () => {
    await using command = InitProcess.start(
      init,
      { script: 'sh -c "readlink /proc/$$/exe"' },
      asRoot ? asAgent : [],
    );
    expect((await command.end()).stdout).toMatch(/^\/.*sh\n$/);
  });

  test('A-547 AF_VSOCK, by whatever door, and what a kernel has one table of, if the plan confines it', async () => {
    await using free = InitProcess.start(init, { argv: [probe] });
    const { stdout: before } = await free.end();
    expect(before).toContain('unix: made');
    await using confined = InitProcess.start(init, { argv: [probe], confine: true });
    const { stdout } = await confined.end();
    const answers = Object.fromEntries(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split(': ')),
    );
    const refused = 'Address family not supported by protocol';
    expect(answers).toMatchObject({
      native: refused,
      'high bits': refused,
      unix: 'made',
      io_uring: 'Function not implemented',
      // A-547: a kernel has one table of it for all containers.
      io_setup: 'Function not implemented',
    });
    expect(before).toContain('io_setup: made');
    if (process.arch === 'x64') {
      expect([refused, 'Function not implemented']).toContain(answers.x32);
      // A kernel without 32-bit calls ends who tries one.
      if (before.includes('i386: no such door')) expect(answers.socketcall).toBe('no such door');
      else expect(answers).toMatchObject({ i386: refused, socketcall: 'Function not implemented' });
    }
    await using status = InitProcess.start(init, {
      script: 'grep -E "^(NoNewPrivs|Seccomp):" /proc/self/status',
      confine: true,
    });
    expect((await status.end()).stdout).toMatch(/NoNewPrivs:\s1\nSeccomp:\s2\n/);
  });

  test.runIf(asRoot)(
    'A-617 P19: the pace and the limits of its init, and of the first process, if the plan confines it',
    async () => {
      const of = async (confine: boolean) => {
        await using command = InitProcess.start(init, { argv: [pace], confine }, besideFirst);
        return (await command.end()).stdout.trim().split('\n');
      };
      const own = /^(?:self|zero) /;
      const isDone = (line: string) => line.endsWith(': done');
      const [free, confined] = [await of(false), await of(true)];
      expect(
        free.filter((line) => /^(?:parent|high bits|first) /.test(line)).filter((line) => !isDone(line)),
      ).toEqual([]);
      expect(confined.filter((line) => own.test(line)).every(isDone)).toBe(true);
      const others = confined.filter((line) => !own.test(line));
      expect([25, 32]).toContain(others.length);
      expect(others.filter((line) => !line.endsWith(': Operation not permitted'))).toEqual([]);
    },
  );

  test('nothing that its init inherited', async () => {
    const script = 'ls /proc/self/fd | wc -l';
    const wrapper = ['sh', '-c', 'exec 7</etc/passwd; exec "$0"'];
    await using command = InitProcess.start(init, { script }, wrapper);
    // Descriptors 0 to 2, and the folder that is being listed.
    expect((await command.end()).stdout).toBe('4\n');
  });
});
