// Carries frames between two interfaces in both directions, with a delay: a long line, for kernels without netem.
// usage: wire IF_A IF_B MICROSECONDS. Ends when an interface is gone.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define FRAME_MAX (66 * 1024) // a 64 KiB segment with its headers, and the offload header before it
#define QUEUE_MAX (64 * 1024 * 1024)
#define SLICE 64

struct frame {
  struct frame *next;
  int64_t due;
  size_t length;
  uint8_t bytes[];
};

struct direction {
  int from, to;
  struct frame *first, **last;
  size_t queued;
};

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void die(const char *what) {
  perror(what);
  exit(1);
}

static void set(int fd, int option, int value) {
  if (setsockopt(fd, SOL_PACKET, option, &value, sizeof value)) die("setsockopt");
}

// The offload header keeps large segments and unfinished checksums unchanged.
static int open_interface(const char *name) {
  int index = (int)if_nametoindex(name);
  if (!index) die(name);
  int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, 0);
  if (fd < 0) die("socket");
  set(fd, PACKET_VNET_HDR, 1);
  set(fd, PACKET_IGNORE_OUTGOING, 1);
  struct packet_mreq all = {.mr_ifindex = index, .mr_type = PACKET_MR_PROMISC};
  if (setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof all)) die("promiscuous");
  struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = index};
  if (bind(fd, (struct sockaddr *)&address, sizeof address)) die("bind");
  return fd;
}

static int receive_one(struct direction *way, int64_t delay) {
  static uint8_t buffer[FRAME_MAX];
  ssize_t length = recv(way->from, buffer, sizeof buffer, 0);
  if (length <= 0) return 0; // nothing there, or the link is down for now
  if (way->queued + (size_t)length > QUEUE_MAX) return 1; // a full line drops
  struct frame *frame = malloc(sizeof *frame + (size_t)length);
  if (!frame) return 1;
  *frame = (struct frame){.due = now_ns() + delay, .length = (size_t)length};
  memcpy(frame->bytes, buffer, frame->length);
  *way->last = frame;
  way->last = &frame->next;
  way->queued += frame->length;
  return 1;
}

// False if the other side accepts no more now.
static int send_first(struct direction *way) {
  struct frame *frame = way->first;
  if (send(way->to, frame->bytes, frame->length, 0) < 0 && (errno == EAGAIN || errno == ENOBUFS)) return 0;
  way->first = frame->next;
  if (!way->first) way->last = &way->first;
  way->queued -= frame->length;
  free(frame);
  return 1;
}

static void carry(struct direction *way, int64_t delay) {
  for (int i = 0; i < SLICE && receive_one(way, delay); i++) {}
  while (way->first && way->first->due <= now_ns() && send_first(way)) {}
}

static int64_t wait_ns(const struct direction *ways) {
  int64_t wait = 1000000000, now = now_ns();
  for (int i = 0; i < 2; i++) {
    if (!ways[i].first) continue;
    int64_t left = ways[i].first->due - now;
    if (left < 50000) left = 50000;
    if (left < wait) wait = left;
  }
  return wait;
}

static void wait_for(const struct direction *ways) {
  struct pollfd fds[2] = {{.fd = ways[0].from, .events = POLLIN}, {.fd = ways[1].from, .events = POLLIN}};
  int64_t ns = wait_ns(ways);
  struct timespec timeout = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
  ppoll(fds, 2, &timeout, NULL);
}

int main(int argc, char **argv) {
  if (argc != 4) return fprintf(stderr, "usage: wire IF_A IF_B MICROSECONDS\n"), 2;
  int a = open_interface(argv[1]), b = open_interface(argv[2]);
  int64_t delay = atoll(argv[3]) * 1000;
  struct direction ways[2] = {{.from = a, .to = b}, {.from = b, .to = a}};
  for (int i = 0; i < 2; i++) ways[i].last = &ways[i].first;
  while (if_nametoindex(argv[1]) && if_nametoindex(argv[2])) {
    wait_for(ways);
    for (int i = 0; i < 2; i++) carry(&ways[i], delay);
  }
  return 0;
}
