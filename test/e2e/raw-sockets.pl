# In a ghost: every way around the way out that a program may try. ADDRESS ADDRESS6 ABSTRACT
use strict;
use warnings;
use Socket qw(:all);
$| = 1;
my ($address, $six, $abstract) = @ARGV;
my @all = (
    ['tcp', AF_INET, SOCK_STREAM, 0, pack_sockaddr_in(80, inet_aton($address))],
    ['udp', AF_INET, SOCK_DGRAM, 0, pack_sockaddr_in(53, inet_aton($address))],
    ['ping', AF_INET, SOCK_DGRAM, 1, pack_sockaddr_in(0, inet_aton($address))],
    ['raw icmp', AF_INET, SOCK_RAW, 1, pack_sockaddr_in(0, inet_aton($address))],
    ['raw ip', AF_INET, SOCK_RAW, 255, pack_sockaddr_in(0, inet_aton($address))],
    ['tcp6', AF_INET6, SOCK_STREAM, 0, pack_sockaddr_in6(80, inet_pton(AF_INET6, $six))],
    ['udp6', AF_INET6, SOCK_DGRAM, 0, pack_sockaddr_in6(53, inet_pton(AF_INET6, $six))],
    ['mapped', AF_INET6, SOCK_STREAM, 0, pack_sockaddr_in6(80, inet_pton(AF_INET6, "::ffff:$address"))],
    ['raw icmp6', AF_INET6, SOCK_RAW, 58, pack_sockaddr_in6(0, inet_pton(AF_INET6, $six))],
    ['packet', 17, SOCK_RAW, 0x0300, pack('S n l S C C a8', 17, 0x0800, 1, 0, 0, 6, '')],
    # The host, and this machine.
    ['vsock host', 40, SOCK_STREAM, 0, pack('S S L L C x3', 40, 0, 22, 2, 0)],
    ['vsock self', 40, SOCK_STREAM, 0, pack('S S L L C x3', 40, 0, 22, 1, 0)],
    ['abstract', AF_UNIX, SOCK_STREAM, 0, pack_sockaddr_un("\0$abstract")],
    ['abstract datagram', AF_UNIX, SOCK_DGRAM, 0, pack_sockaddr_un("\0$abstract")],
    ['metadata', AF_INET, SOCK_STREAM, 0, pack_sockaddr_in(80, inet_aton('169.254.169.254'))],
);
for (@all) {
    my ($what, $family, $type, $protocol, $to) = @$_;
    my $said = 'nothing';
    local $SIG{ALRM} = sub { die "late\n" };
    eval {
        alarm 3;
        socket(my $socket, $family, $type, $protocol) or die "no socket\n";
        connect($socket, $to) or die "no way\n";
        defined send($socket, 'x', 0) or die "not sent\n" if $type != SOCK_STREAM;
        $said = "REACHED";
    };
    alarm 0;
    $said = $@ if $@;
    chomp $said;
    print "$what: $said\n";
}
my @open;
for my $port (1 .. 65535) {
    socket(my $socket, AF_INET, SOCK_STREAM, 0) or die;
    next unless connect($socket, pack_sockaddr_in($port, INADDR_LOOPBACK));
    # A socket that got the number it asks for is connected to itself.
    push @open, $port if getsockname($socket) ne getpeername($socket);
}
print "open: @open\n";
