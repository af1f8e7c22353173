from pkg import shown
