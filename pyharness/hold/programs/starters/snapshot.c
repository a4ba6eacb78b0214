/* Chandy and Lamport's snapshot: cc -o snapshot snapshot.c && pyharness hold -- ./snapshot
   A stateful program: it keeps its state, and `reset` begins anew.
   BUG=late-turn records one marker late; BUG=history forgets to record after two messages. */

#define _GNU_SOURCE
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };
typedef struct { int n, of[MOST]; } List;

static void send_to(int dest, const char *type, int msg);
static void put_list(const char *name, List list);

static bool bug(const char *name) { return getenv("BUG") && !strcmp(getenv("BUG"), name); }

/* -- the algorithm --------------------------------------------------------------------------------------------- */

static struct {
    List inputs, outputs, items, recorded, channel[MOST];
    bool initiator, red, closed[MOST];
    int arrived, seen;
} p;

static void begin(List inputs, List outputs, List items, bool initiator) {
    memset(&p, 0, sizeof p);
    p.inputs = inputs, p.outputs = outputs, p.items = items, p.initiator = initiator;
}

static void add(List *list, int item) { list->of[list->n++] = item; }

static void take_away(List *list, int item) {
    int kept = 0;
    for (int i = 0; i < list->n; i++)
        if (list->of[i] != item) list->of[kept++] = list->of[i];
    list->n = kept;
}

static bool record(void) {
    p.red = true;
    p.recorded = p.items;
    for (int i = 0; i < p.outputs.n; i++) send_to(p.outputs.of[i], "marker", 0);
    return true;
}

static bool send_item(int msg, int dest) {
    take_away(&p.items, msg);
    send_to(dest, "message", msg);
    return true;
}

static bool message(int msg, int source) {
    add(&p.items, msg);
    p.seen += bug("history") && !p.red;
    if (p.red && !p.closed[source] && p.seen < 2) add(&p.channel[source], msg);
    return true;
}

static bool marker(int source) {
    bool late = bug("late-turn") && p.arrived == 0;
    p.closed[source] = true;
    p.arrived++;
    return p.red || late || record();
}

static bool initiate(void) { return p.initiator && !p.red && record(); } /* false: refused */

static bool take(const char *type, int source, int msg, int to) {
    if (!strcmp(type, "send")) return send_item(msg, to);
    if (!strcmp(type, "message")) return message(msg, source);
    if (!strcmp(type, "marker")) return marker(source);
    return !strcmp(type, "initiate") && initiate();
}

static void show(void) {
    put_list("\"items\":", p.items);
    if (p.red) put_list(",\"recorded\":", p.recorded); else printf(",\"recorded\":null");
    for (int i = 0; i < p.inputs.n; i++) {
        printf("%s\"n%d\"", i ? "," : ",\"channels\":{", p.inputs.of[i]);
        put_list(":", p.channel[p.inputs.of[i]]);
    }
    printf("%s\"complete\":%s}}\n", p.inputs.n ? "}," : ",", p.red && p.arrived == p.inputs.n ? "true" : "false");
}

/* -- reading and writing JSON, for which other languages have a library: what pyharness writes has no spaces ------ */

static const char *after(const char *line, const char *key) {
    const char *found = strstr(line, key);
    return found ? found + strlen(key) : "";
}
static List list_at(const char *text) {
    List list = {0};
    for (char *end; *text && *text != ']'; text = end)
        if (isdigit(*text)) add(&list, strtol(text, &end, 10)); else end = (char *)text + 1;
    return list;
}
static void put_list(const char *name, List list) {
    printf("%s[", name);
    for (int i = 0; i < list.n; i++) printf(i ? ",%d" : "%d", list.of[i]);
    putchar(']');
}
/* -- the glue: lines in, lines out ------------------------------------------------------------------------------ */

static int me, id;

static void send_to(int dest, const char *type, int msg) {
    printf("{\"src\":\"n%d\",\"dest\":\"n%d\",\"body\":{\"type\":\"%s\"", me, dest, type);
    if (msg) printf(",\"msg\":%d", msg);
    puts("}}");
}
static void reply(const char *type, const char *more) {
    printf("{\"src\":\"n%d\",\"dest\":\"c1\",\"body\":{\"type\":\"%s\",\"in_reply_to\":%d%s", me, type, id, more);
}
int main(void) {
    char *line = NULL, type[32];
    for (size_t size = 0; getline(&line, &size, stdin) > 0; fflush(stdout)) {
        id = atoi(after(line, "\"msg_id\":"));
        sscanf(after(line, "\"type\":\""), "%31[a-z_]", type);
        if (!strcmp(type, "init")) {
            me = atoi(after(line, "\"node_id\":\"n"));
            reply("init_ok", "}}\n");
        } else if (!strcmp(type, "reset")) {
            begin(list_at(after(line, "\"inputs\":")), list_at(after(line, "\"outputs\":")),
                  list_at(after(line, "\"items\":")), *after(line, "\"initiator\":") == 't');
            reply("reset_ok", ",\"version\":1}}\n");
        } else if (!strcmp(type, "show")) {
            reply("show_ok", ",");
            show();
        } else if (!take(type, atoi(after(line, "\"src\":\"n")), atoi(after(line, "\"msg\":")), atoi(after(line, "\"to\":\"n")))) {
            reply("error", ",\"code\":22}}\n");
        }
    }
}
